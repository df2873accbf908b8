"""The Helm chart: it says what deployments/ says, values do what they say, and benchmarks become Benchmarks.

Where there is Go with the libraries of helm, tests/kubernetes/chart/render.go renders it, and helm does where there is
helm. The templates that are made of deployments/ are rendered in any case (templates.py).
"""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess

import jsonschema
import pytest
import yaml

import manifests
import project
from templates import Templates

SOURCE = manifests.ROOT / "charts" / "twofold"
RENDERER = pathlib.Path(__file__).parent / "chart" / "render.go"
DEFAULTS = yaml.safe_load((SOURCE / "values.yaml").read_text())
SCHEMA = json.loads((SOURCE / "values.schema.json").read_text())
BY_HAND = {str(path.relative_to(SOURCE)) for path in SOURCE.glob("templates/**/*") if path.is_file()}
QUEUES = sorted(path.name.removesuffix("-queue") for path in manifests.DEPLOYMENTS.glob("*-queue"))

MONITORING, VALIDATION = "mon2", "valid2"
REGISTRY = "registry.example.com:5000/a/b"
DIGEST = "sha256:" + "5" * 64
BENCHMARKS = "twofold.dev/v1alpha1/Benchmark"


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def combined(values, more):
    """As Helm combines them."""
    if not (isinstance(values, dict) and isinstance(more, dict)):
        return more
    return {**values, **{key: combined(values.get(key), value) for key, value in more.items()}}


@pytest.fixture(scope="session")
def chart(kubectl, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chart")
    run(manifests.ROOT / "packaging" / "make-chart.sh", folder)
    return folder / "twofold"


# ---- what renders it


def image(argument):
    root, name = argument
    images = root["Values"]["images"]
    registry = images["registry"] and images["registry"] + "/"
    return registry + name + ("@" + images["digests"][name] if name in images["digests"] else ":0.1.0")


def read(chart, values):
    """The templates that are made of deployments/."""
    templates = Templates(combined(DEFAULTS, values), MONITORING, {
        "twofold.image": image,
        "twofold.clients": lambda root: root["Values"]["clients"]["namespace"] or root["Release"]["Namespace"],
    })
    paths = [path for path in chart.glob("templates/*.yaml") if str(path.relative_to(chart)) not in BY_HAND]
    return {str(path.relative_to(chart)): templates.render(path.read_text()) for path in paths}


class Go:
    def __init__(self, chart, folder):
        self.chart, self.folder, self.program = chart, folder, folder / "render"
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(folder / "cache")}
        subprocess.run(["go", "build", "-o", self.program, RENDERER], env=environment, check=True, timeout=300)

    def render(self, values, apis=BENCHMARKS, namespace=MONITORING):
        path = self.folder / "values.yaml"
        path.write_text(yaml.safe_dump(values))
        done = subprocess.run([self.program, self.chart, namespace, apis, path], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        return json.loads(done.stdout)


class Helm:
    def __init__(self, chart, folder):
        self.chart, self.folder = chart, folder

    def render(self, values, apis=BENCHMARKS, namespace=MONITORING):
        path = self.folder / "values.yaml"
        path.write_text(yaml.safe_dump(values))
        command = ["helm", "template", "twofold", self.chart, "--namespace", namespace, "--values", path]
        done = subprocess.run([*command, *(["--api-versions", apis] if apis else [])],
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        texts = {}
        for document in re.split(r"^---\n", done.stdout, flags=re.M):
            source = re.match(r"# Source: twofold/(.*)\n", document)
            if source:
                texts[source[1]] = texts.get(source[1], "") + "---\n" + document
        return texts


@pytest.fixture(scope="session", params=["go", "helm"])
def helm(request, chart, tmp_path_factory):
    """Renders all of the chart."""
    if request.param == "helm":
        return Helm(chart, tmp_path_factory.mktemp("helm")) if shutil.which("helm") else pytest.skip("no helm here")
    if not shutil.which("go") or not pathlib.Path("/usr/share/gocode/src/github.com/Masterminds/sprig").is_dir():
        pytest.skip("no Go with sprig here: packages-nightly.txt")
    return Go(chart, tmp_path_factory.mktemp("go"))


def objects(texts):
    """By kind, namespace and name. What Helm alone reads is left out."""
    found = {}
    for path, text in texts.items():
        for data in manifests.parse(text) if path.endswith(".yaml") else []:
            annotations = data["metadata"].get("annotations", {})
            annotations.pop("helm.sh/resource-policy", None)
            if not annotations:
                data["metadata"].pop("annotations", None)
            key = data["kind"], data["metadata"].get("namespace"), data["metadata"]["name"]
            assert key not in found, key
            found[key] = data
    return found


# ---- it says what deployments/ says

# What the chart has no part of, and why.
NOT_IN_CHART = {
    "namespace": "the release's namespace is Helm's; clients.createNamespace makes the other",
    "cluster": "frontend/cluster is in it",
    "watch": "benchmarks of values are Benchmarks",
    "lifecycle": "a run by hand", "lifecycle/nightly": "the same",
    "media-queue/volume": "an example",
    "security/secret": "Secrets are made beside it",
    "sleep-queue/scaling-cronjob": "rules are applied beside it", "sleep-queue/scaling-custom": "the same",
    "sleep-queue/scaling-external": "the same", "sleep-queue/scaling-keda": "the same",
    "sleep-queue/scaling-keda-prometheus": "the same",
}
PARTS = ["frontend/service", "frontend", *(f"{queue}-queue" for queue in QUEUES), "lifecycle/rights", "benchmark-operator",
         "benchmark-operator/policy", "benchmark-operator/crds", "benchmark-operator/perftest", "benchmark-operator/perftest-crds"]
ALL = {
    "clients": {"namespace": VALIDATION},
    "operator": {"perftest": True, "policy": True},
    "serviceMonitor": {"enabled": True},
    "workers": {queue: {"enabled": True, "client": True, "clientHost": f"scalability-tester-client-{queue}.example.com"} for queue in QUEUES},
}
# Values; what they are in deployments/: parts beside PARTS, components, and arguments of deployments-config.sh.
CASES = {
    "one frontend": ({"frontend": {"store": {"enabled": True}}}, [], ["frontend/store"], ["-"]),
    "secured": (
        {"security": {"enabled": True}, "images": {
            "registry": REGISTRY, "digests": {"scalability-tester-iperf": DIGEST}, "pullSecrets": [{"name": "pull"}]}},
        ["security/policies"], ["frontend/store", "security/enable"], ["--pull-secret", "pull", "--digests", "DIGESTS", REGISTRY]),
    "cert-manager": (
        {"security": {"enabled": True, "certificates": "cert-manager"}, "frontend": {"replicas": 3},
         "database": {"kind": "cloudnative-pg"}, "workers": {"object": {"everyNode": True}}},
        ["security/policies", "security/cert-manager", "database/cloudnative-pg"],
        ["frontend/cluster", "object-queue/every-node", "security/enable"], ["-"]),
    "three frontends": (
        {"frontend": {"replicas": 3}, "database": {"kind": "postgresql"}}, ["database/postgresql"], ["frontend/cluster"], ["-"]),
}


def deployed(folder, parts, components, arguments):
    """What the same settings are in deployments/, as its README and scripts do it."""
    digests = folder / "digests"
    digests.write_text(f"scalability-tester-iperf@{DIGEST}\n")
    run(manifests.ROOT / "deployments-config.sh", "--output", folder / "configured",
        *(digests if argument == "DIGESTS" else argument for argument in arguments), MONITORING, VALIDATION)
    overlay = (folder / "overlay").resolve()
    overlay.mkdir()
    paths = [manifests.DEPLOYMENTS / name for name in components if name != "security/enable"] + [folder / "configured" / "component"]
    paths += [manifests.DEPLOYMENTS / "security/enable"] if "security/enable" in components else []
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": [os.path.relpath(manifests.DEPLOYMENTS / name, overlay) for name in [*PARTS, *parts]],
        "components": [os.path.relpath(path.resolve(), overlay) for path in paths]}))
    found = objects({"deployments.yaml": run("kubectl", "kustomize", overlay)})
    # docs/operator.md: beside the role and the definitions, the operator is told.
    found["Deployment", MONITORING, "scalability-tester-operator"]["spec"]["template"]["spec"]["containers"][0]["args"].append("--perftest")
    return found


def assert_the_same(texts, wanted):
    found = objects({path: text for path, text in texts.items() if path not in BY_HAND})
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    for key, data in wanted.items():
        assert found[key] == data, key


def test_secured_the_templates_say_what_deployments_says(chart, tmp_path):
    values, *settings = CASES["secured"]
    assert_the_same(read(chart, combined(ALL, values)), deployed(tmp_path, *settings))


@pytest.mark.parametrize("case", CASES)
def test_chart_says_what_deployments_says(helm, tmp_path, case):
    values, *settings = CASES[case]
    assert_the_same(helm.render(combined(ALL, values)), deployed(tmp_path, *settings))


def test_no_folder_is_left_out():
    parts = {*PARTS, *NOT_IN_CHART, *(part for _, parts, components, _ in CASES.values() for part in parts + components)}
    folders = {manifests.relative(folder) for folder in manifests.kustomizations()}
    assert {folder for folder in folders - parts if not folder.startswith("components/")} == {"fio-queue/shared-volume"}


def test_both_namespaces_may_be_one(helm):
    found = objects(helm.render(combined(ALL, {"clients": {"namespace": ""}})))
    assert {namespace for _, namespace, _ in found} == {MONITORING, "workloads", None}


@pytest.mark.parametrize("case", CASES)
def test_objects_are_valid(helm, checker, case):
    everything = {"dashboards": {"enabled": True}, "alerts": {"enabled": True, "labels": {"release": "prometheus"}},
                  "clients": {"createNamespace": True}, "database": {"password": "p/w"}, "benchmarks": [benchmark("r1")]}
    for data in objects(helm.render(combined(combined(ALL, everything), CASES[case][0]))).values():
        if data["kind"] not in ("Benchmark", "PrometheusRule"):
            assert checker.errors(data) == [], data["metadata"]["name"]


def test_dashboard_and_alerts_are_those_of_grafana(helm):
    found = objects(helm.render({"dashboards": {"enabled": True}, "alerts": {"enabled": True, "labels": {"release": "prometheus"}}}))
    dashboard = found["ConfigMap", MONITORING, "scalability-tester-dashboard"]
    assert dashboard["data"] == {"twofold.json": project.DASHBOARD.read_text()}
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    rule = found["PrometheusRule", MONITORING, "scalability-tester"]
    assert rule["spec"] == yaml.safe_load(project.ALERTS.read_text())
    assert rule["metadata"]["labels"]["release"] == "prometheus"


# ---- values


def leaves(values, path=()):
    if isinstance(values, dict) and values and path[-1:] != ("labels",):
        for key, value in values.items():
            yield from leaves(value, (*path, key))
    else:
        yield path


def test_defaults_fit_the_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(DEFAULTS, SCHEMA)
    assert sorted(DEFAULTS["workers"]) == QUEUES


@pytest.mark.parametrize("wrong", [
    {"frontend": {"replicas": 0}}, {"frontend": {"replicas": "3"}}, {"frontend": {"replica": 3}}, {"images": {"registry": "https://x"}},
    {"images": {"digests": {"scalability-tester": "sha256:5"}}}, {"database": {"kind": "mysql"}}, {"workers": {"sleep": {"replicas": -1}}},
    {"benchmarks": [{"name": "a"}]}, {"benchmarks": [{"name": "A", "spec": {"template": {"kind": "Fio"}}}]},
    {"benchmarks": [{"name": "a", "runid": "R_1", "spec": {"template": {"kind": "Fio"}}}]}, {"benchmarks": [{"name": "a", "spec": {}}]},
    {"clients": {"namespace": "a.b"}}, {"security": {"certificates": "openssl"}}, {"sleep": {}},
], ids=json.dumps)
def test_schema_refuses(wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(combined(DEFAULTS, wrong), SCHEMA)


def test_each_value_has_its_row():
    (section,) = re.findall(r"^## Values$(.*?)^## ", (manifests.ROOT / "charts" / "README.md").read_text(), re.M | re.S)
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
    text = (manifests.ROOT / "charts" / "README.md").read_text()
    assert [name for name in AISLOADER if not re.search(rf"^\|[^|]*`{re.escape(name)}`", text, re.M)] == []
    keys = re.search(r"^\| `config.KEY.default` \|(.*)", text, re.M)[1]
    assert [key for key in AISLOADER_KEYS if f"`{key}`" not in keys] == []


# What a value is set to, by the end of its path, to see that it does something.
SAMPLES = {
    "resources": {"limits": {"cpu": "7"}}, "nodeSelector": {"disk": "fast"}, "tolerations": [{"operator": "Exists"}],
    "affinity": {"nodeAffinity": {}}, "labels": {"a": "b"}, "digests": {"scalability-tester": DIGEST}, "pullSecrets": [{"name": "pull"}],
    "arguments": ["--verbose"], "env": [{"name": "A", "value": "b"}], "queues": ["nap"], "replicas": 5, "pullPolicy": "Always", "kind": "cloudnative-pg", "size": "7Gi",
    "certificates": "cert-manager", "benchmarks": [{"name": "a", "runid": "r", "spec": {"template": {"kind": "Fio"}}}],
}
SECURED = {"security": {"enabled": True}}
WITH_SERVER = {"frontend": {"replicas": 3}, "database": {"kind": "postgresql"}}
WITH_SERVERS = {"frontend": {"replicas": 3}, "database": {"kind": "cloudnative-pg"}}


def with_value(values, path, value):
    values = copy.deepcopy(values)
    node = values
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    return values


def test_each_value_does_something(helm):
    on = combined(ALL, {"dashboards": {"enabled": True}, "alerts": {"enabled": True}, "benchmarks": [benchmark("r1")]})
    more = (SECURED, WITH_SERVER, WITH_SERVERS, {"operator": {"enabled": False}})
    bases = [(base, helm.render(base)) for base in (on, *(combined(on, values) for values in more))]
    of_all = set(SCHEMA["definitions"]["workers"]["properties"]) - {"client", "clientHost", "everyNode", "size", "storageClassName"}
    paths = list(leaves(DEFAULTS)) + [("workers", queue, name) for queue in QUEUES for name in of_all]
    idle = []
    for path in paths:
        old = combined(DEFAULTS, on)
        for key in path:
            old = old.get(key) if isinstance(old, dict) else None
        value = not old if isinstance(old, bool) else SAMPLES.get(path[-1], "sample")
        if path == ("clients", "namespace"):
            value = "elsewhere"
        for base, before in bases:
            try:
                changed = helm.render(with_value(base, path, value)) != before
            except ValueError:  # it is refused beside this base
                continue
            if changed:
                break
        else:
            idle.append(".".join(path))
    assert idle == []


def pod_of(found, name, kind="Deployment"):
    return found[kind, MONITORING, name]["spec"]["template"]["spec"]


def test_workers_are_as_values_say(helm):
    values = {"workers": {
        "fio": {"enabled": True, "size": "5Gi", "storageClassName": "fast"},
        "iperf": {"enabled": True, "replicas": 0, "nodeSelector": {"net": "100g"}, "resources": {"requests": {"cpu": 1}},
                  "tolerations": [{"key": "net", "operator": "Exists"}], "arguments": ["--label=rack=7"]}}}
    found = objects(helm.render(values))
    iperf = found["Deployment", MONITORING, "scalability-tester-backend-iperf"]["spec"]
    assert iperf["replicas"] == 0
    spec = iperf["template"]["spec"]
    assert spec["nodeSelector"] == {"net": "100g"} and spec["tolerations"] == [{"key": "net", "operator": "Exists"}]
    assert spec["containers"][0]["resources"] == {"requests": {"cpu": 1}}
    assert spec["containers"][0]["args"][0] == "--label=rack=7"
    fio = found["StatefulSet", MONITORING, "scalability-tester-backend-fio"]["spec"]
    claim = fio["volumeClaimTemplates"][0]["spec"]
    assert claim["storageClassName"] == "fast" and claim["resources"]["requests"]["storage"] == "5Gi"
    (labels,) = [entry["value"] for entry in fio["template"]["spec"]["containers"][0]["env"] if entry["name"] == "TWOFOLD_LABELS"]
    assert labels.endswith("resources.requests.storage=5Gi,volumeClaimTemplate.storageClassName=fast")


def test_workers_of_a_queue_that_values_do_not_name_are_off(chart):
    values = combined(DEFAULTS, {"workers": {"sleep": None}})
    templates = Templates({**values, "workers": {}}, MONITORING, {})
    assert templates.render((chart / "templates/workers-sleep.yaml").read_text()).strip() == ""


@pytest.mark.parametrize("values, message", [
    ({"database": {"kind": "postgresql"}}, "needs frontend.replicas above 1"),
    (combined(WITH_SERVER, SECURED), "speaks no TLS"),
    ({"frontend": {"store": {"enabled": False}}}, "set operator.enabled to false"),
    ({"workers": {"object": {"enabled": True, "everyNode": True, "replicas": 2}}}, "and no replicas"),
])
def test_refuses_what_does_not_go_together(helm, values, message):
    with pytest.raises(ValueError, match=message):
        helm.render(values)


def test_password_of_the_database_is_text_in_the_url(helm):
    secret = objects(helm.render(combined(WITH_SERVER, {"database": {"password": "a/b c\"'"}})))[
        "Secret", MONITORING, "scalability-tester-database-app"]["stringData"]
    assert secret["password"] == "a/b c\"'"
    assert secret["uri"].startswith("postgresql://twofold:a%2Fb")


# ---- what Helm keeps


def test_definitions_volumes_and_databases_are_kept(helm):
    texts = helm.render(combined(ALL, {"clients": {"createNamespace": True}, "benchmarks": [benchmark("r1")]}))
    texts |= {"database.yaml": helm.render(WITH_SERVERS)["templates/database-cloudnative-pg.yaml"]}
    found = [data for path, text in texts.items() if path.endswith(".yaml") for data in manifests.parse(text)]
    kept = {data["kind"] for data in found if data["metadata"].get("annotations", {}).get("helm.sh/resource-policy") == "keep"}
    assert kept == {"CustomResourceDefinition", "PersistentVolumeClaim", "Cluster", "Namespace", "Benchmark"}
    assert len([data for data in found if data["kind"] == "CustomResourceDefinition"]) == 9


# ---- benchmarks


def benchmark(runid, name="disks", **spec):
    return {"name": name, "runid": runid, "spec": {
        "template": {"kind": "Fio", "spec": {"size": "16M", "runtime": "3s"}}, "permutations": {"product": {"rw": ["read", "write"]}}, **spec}}


def names(texts):
    return [name for kind, _, name in objects(texts) if kind == "Benchmark"]


def test_runid_is_a_run(helm, tmp_path, programs):
    texts = helm.render({"clients": {"namespace": VALIDATION}, "benchmarks": [benchmark("r1"), benchmark(20261129, "disks-2")]})
    found = {key[2]: data for key, data in objects(texts).items() if key[0] == "Benchmark"}
    assert list(found) == ["disks-r1", "disks-2-20261129"]
    first = found["disks-r1"]
    assert first["spec"] == benchmark("r1")["spec"] and first["metadata"]["namespace"] == VALIDATION
    file = tmp_path / "benchmark.yaml"
    file.write_text(yaml.safe_dump(first))
    assert "write" in run(programs / "twofold", "expand", file)


def test_changed_runid_is_another_object_and_the_same_is_none(helm):
    before, again, after = (helm.render({"benchmarks": [benchmark(runid)]}) for runid in ("r1", "r1", "r2"))
    assert before == again and names(before) == ["disks-r1"] and names(after) == ["disks-r2"]


@pytest.mark.parametrize("runid", ["", "nil", None])
def test_without_a_runid_it_is_idle(helm, runid):
    assert names(helm.render({"benchmarks": [benchmark(runid)]})) == []


def test_definition_comes_first(helm):
    """Helm refuses a release with objects of kinds that the cluster does not know yet."""
    values = {"benchmarks": [benchmark("r1")]}
    assert names(helm.render(values, apis="")) == []
    assert names(helm.render({**values, "crds": {"install": False}}, apis="")) == ["disks-r1"]
    notes = helm.render(values, apis="").get("templates/NOTES.txt")  # helm template does not print them
    assert notes is None or "THEY ARE NOT THERE YET" in notes
    notes = helm.render(values).get("templates/NOTES.txt")
    assert notes is None or "THEY ARE NOT THERE YET" not in notes


def test_benchmark_that_would_come_back_is_refused(helm):
    with pytest.raises(ValueError, match="would run it again"):
        helm.render({"benchmarks": [benchmark("r1", ttlSecondsAfterFinished=60)]})
    nightly = benchmark("r1", ttlSecondsAfterFinished=60, schedule="30 3 * * *")
    assert names(helm.render({"benchmarks": [nightly]})) == ["disks-r1"]


def test_name_that_is_too_long_is_refused(helm):
    with pytest.raises(ValueError, match="more than 63 letters"):
        helm.render({"benchmarks": [benchmark("r" * 40, "a" * 40)]})
