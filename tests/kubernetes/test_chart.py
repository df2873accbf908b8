"""The Helm chart by day: it says what deployments/ says, and its values are what schema and README say."""
import json
import re

import jsonschema
import pytest

import manifests
from charts import ALL, BY_HAND, CASES, DEFAULTS, EXAMPLE, MONITORING, NOT_IN_CHART, PARTS, QUEUES, README, SCHEMA
from charts import assert_the_same, combined, deployed, leaves, objects
from templates import Templates


def image(argument):
    root, name = argument
    images = root["Values"]["images"]
    registry = images["registry"] and images["registry"] + "/"
    return registry + name + ("@" + images["digests"][name] if name in images["digests"] else ":0.1.0")


def read(chart, values):
    """The templates that are made of deployments/."""
    templates = Templates(combined(DEFAULTS, values), MONITORING, {
        "twofold.image": image,
        "twofold.knows": lambda argument: "true",
        "twofold.knowsPolicies": lambda argument: "true",
        "twofold.clients": lambda root: root["Values"]["clients"]["namespace"] or root["Release"]["Namespace"],
    })
    paths = [path for path in chart.glob("templates/*.yaml") if str(path.relative_to(chart)) not in BY_HAND]
    return {str(path.relative_to(chart)): templates.render(path.read_text()) for path in paths}


def test_secured_the_templates_say_what_deployments_says(chart, tmp_path):
    values, *settings = CASES["secured"]
    assert_the_same(read(chart, combined(ALL, values)), deployed(tmp_path, *settings))


def test_an_hpa_is_of_its_queue(chart):
    values = {"metricsApi": {"external": True, "custom": True}, "workers": {
        "sleep": None, "iperf": {"enabled": True, "maxReplicas": 8, "minReplicas": 2}, "mpi": {"enabled": False, "maxReplicas": 8}}}
    (hpa,) = [data for (kind, *_), data in objects(read(chart, values)).items() if kind == "HorizontalPodAutoscaler"]
    name = "scalability-tester-backend-iperf"
    assert hpa["metadata"]["name"] == name and hpa["metadata"]["labels"]["app.kubernetes.io/instance"] == "iperf"
    spec = hpa["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 8)
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    assert spec["metrics"][0]["external"]["metric"]["selector"]["matchLabels"] == {"queue": "iperf"}
    (workers,) = [data for key, data in objects(read(chart, values)).items() if key[0] == "Deployment" and key[2] == name]
    assert "replicas" not in workers["spec"]  # an upgrade would undo what the HPA has chosen


def test_a_pool_has_the_pods_of_the_deployment(chart):
    values = {"security": {"enabled": True}, "workers": {"sleep": {"replicas": 3}}}
    (pool,) = (data for (kind, *_), data in objects(read(chart, combined(values, {"workers": {"sleep": {"pool": True}}}))).items()
               if kind == "WorkerPool")
    deployment = objects(read(chart, values))["Deployment", MONITORING, pool["metadata"]["name"]]
    assert pool["spec"]["template"] == deployment["spec"]["template"]
    assert (pool["spec"]["queue"], pool["spec"]["replicas"]) == ("sleep", 3)


def test_api_services_go_first(chart):
    """Helm removes objects by their kinds, APIServices before all others; no hook and no policy takes them out of that order."""
    made = objects(read(chart, {"metricsApi": {"external": True, "custom": True}}))
    services = [data for (kind, *_), data in made.items() if kind == "APIService"]
    assert len(services) == 3 and all("annotations" not in data["metadata"] for data in services)
    assert "resource-policy" not in "".join((chart / f"templates/scaling-{kind}.yaml").read_text() for kind in ("external", "custom"))
    assert not [kind for kind, *_ in objects(read(chart, {})) if kind in ("APIService", "HorizontalPodAutoscaler")]


def test_workers_of_a_queue_that_values_do_not_name_are_off(chart):
    values = combined(DEFAULTS, {"workers": {"sleep": None}})
    templates = Templates({**values, "workers": {}}, MONITORING, {})
    assert templates.render((chart / "templates/workers-sleep.yaml").read_text()).strip() == ""


def test_no_folder_is_left_out():
    parts = {*PARTS, *NOT_IN_CHART, *(part for _, parts, components, _ in CASES.values() for part in parts + components)}
    folders = {manifests.relative(folder) for folder in manifests.kustomizations()}
    assert {folder for folder in folders - parts if not folder.startswith("components/")} == {"fio-queue/shared-volume"}


def test_defaults_and_the_example_fit_the_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(DEFAULTS, SCHEMA)
    jsonschema.validate(combined(DEFAULTS, EXAMPLE), SCHEMA)
    assert sorted(DEFAULTS["workers"]) == QUEUES


@pytest.mark.parametrize("wrong", [
    {"frontend": {"replicas": 0}}, {"frontend": {"replicas": "3"}}, {"frontend": {"replica": 3}}, {"images": {"registry": "https://x"}},
    {"images": {"digests": {"scalability-tester": "sha256:5"}}}, {"database": {"kind": "mysql"}}, {"workers": {"sleep": {"replicas": -1}}},
    {"workers": {"sleep": {"maxReplicas": 0}}}, {"workers": {"sleep": {"pool": "yes"}}}, {"metricsApi": {"enabled": True}},
    {"benchmarks": [{"name": "a"}]}, {"benchmarks": [{"name": "A", "spec": {"template": {"kind": "Fio"}}}]},
    {"benchmarks": [{"name": "a", "runid": "R_1", "spec": {"template": {"kind": "Fio"}}}]}, {"benchmarks": [{"name": "a", "spec": {}}]},
    {"clients": {"namespace": "a.b"}}, {"security": {"certificates": "openssl"}}, {"sleep": {}},
], ids=json.dumps)
def test_schema_refuses(wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(combined(DEFAULTS, wrong), SCHEMA)


def test_each_value_has_its_row():
    (section,) = re.findall(r"^## Values$(.*?)^## ", README, re.M | re.S)
    rows = re.findall(r"^\| (`.*?`) \|", section, re.M)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    paths = {".".join(("workers", "QUEUE", *path[2:]) if path[0] == "workers" else path) for path in leaves(DEFAULTS)}
    workers = {f"workers.QUEUE.{name}" for name in SCHEMA["definitions"]["workers"]["properties"]}
    benchmarks = {f"benchmarks[].{name}" for name in SCHEMA["definitions"]["benchmark"]["properties"]}
    assert named == paths | workers | benchmarks


# Of the chart with the controller and Redis, and of the Job that came after it.
AISLOADER = """image.repository image.tag image.pullPolicy image.pullSecret ais_release ais_namespace controller.runid controller.nodecount
controller.results_pvc controller.postrun_snooze config.KEY.default config.KEY.specific aisloaderEnv resources sysctls.somaxconn redis.*
tolerations replicaCount affinity replicas params tls.* authn.* job.ttlSecondsAfterFinished job.backoffLimit graphite.*""".split()
AISLOADER_KEYS = """bucket duration pctput cleanup numworkers uniquegets readlen readoff minsize maxsize maxputs putshards seed port readertype
statsinterval""".split()


def test_each_value_of_aisloaders_chart_has_its_row():
    assert [name for name in AISLOADER if not re.search(rf"^\|[^|]*`{re.escape(name)}`", README, re.M)] == []
    keys = re.search(r"^\| `config.KEY.default` \|(.*)", README, re.M)[1]
    assert [key for key in AISLOADER_KEYS if f"`{key}`" not in keys] == []
