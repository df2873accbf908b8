"""The Helm chart, all of it and each night: by chart/render.go, which needs Go (packages-nightly.txt), and by helm, where it is."""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

import manifests
import project
import running
from charts import ALL, KNOWN, CASES, DEFAULTS, DIGEST, EXAMPLE, MONITORING, QUEUES, SCHEMA, VALIDATION
from charts import assert_the_same, benchmark, combined, deployed, leaves, objects, run

if not os.environ.get("TWOFOLD_NIGHTLY"):
    pytest.skip("the whole chart at night: TWOFOLD_NIGHTLY=1", allow_module_level=True)

RENDERER = pathlib.Path(__file__).parent / "chart" / "render.go"


class Go:
    def __init__(self, chart, folder):
        self.chart, self.folder, self.program = chart, folder, folder / "render"
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(folder / "cache")}
        subprocess.run(["go", "build", "-o", self.program, RENDERER], env=environment, check=True, timeout=300)

    def render(self, values, apis=KNOWN, namespace=MONITORING):
        path = self.folder / "values.yaml"
        path.write_text(yaml.safe_dump(values))
        done = subprocess.run([self.program, self.chart, namespace, apis, path], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        return json.loads(done.stdout)


class Helm:
    def __init__(self, chart, folder):
        self.chart, self.folder = chart, folder

    def render(self, values, apis=KNOWN, namespace=MONITORING):
        path = self.folder / "values.yaml"
        path.write_text(yaml.safe_dump(values))
        command = ["helm", "template", "twofold", self.chart, "--namespace", namespace, "--values", path]
        done = subprocess.run([*command, *(f"--api-versions={api}" for api in apis.split(",") if api)],
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
def helm(request, tmp_path_factory):
    """Renders all of the chart."""
    if not os.environ.get("TWOFOLD_NIGHTLY"):
        pytest.skip("renders the chart at night: TWOFOLD_NIGHTLY=1")
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param} here")
    return {"go": Go, "helm": Helm}[request.param](request.getfixturevalue("chart"), tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("case", CASES)
def test_chart_says_what_deployments_says(helm, tmp_path, case):
    values, *settings = CASES[case]
    assert_the_same(helm.render(combined(ALL, values)), deployed(tmp_path, *settings))


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


def test_helm_test_asks_what_a_client_may(helm, programs, tmp_path):
    (pod,) = [data for data in objects(helm.render({})).values() if data["kind"] == "Pod"]
    (container,) = pod["spec"]["containers"]
    program, *words = container["command"]
    assert [arg.partition("=")[0] for arg in container["args"]] == ["--frontend"]
    (tmp_path / "token").write_text("1234567890abcdef")
    (tmp_path / "tokens").write_text("client load 1234567890abcdef\n")
    with running.frontend(f"--token-file={tmp_path / 'tokens'}", "sleep", folder=tmp_path) as addresses:
        done = subprocess.run([programs / pathlib.PurePosixPath(program).name, *words, f"--frontend={addresses['client']}",
                               f"--token-file={tmp_path / 'token'}"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


# ---- values

# What a value is set to, by the end of its path, to see that it does something.
SAMPLES = {
    "resources": {"limits": {"cpu": "7"}}, "nodeSelector": {"disk": "fast"}, "tolerations": [{"operator": "Exists"}],
    "affinity": {"nodeAffinity": {}}, "labels": {"a": "b"}, "digests": {"scalability-tester": DIGEST}, "pullSecrets": [{"name": "pull"}],
    "arguments": ["--verbose"], "env": [{"name": "A", "value": "b"}], "queues": ["nap"], "replicas": 5, "maxReplicas": 5, "minReplicas": 3, "pool": True, "pullPolicy": "Always", "kind": "cloudnative-pg", "size": "7Gi",
    "certificates": "cert-manager", "benchmarks": [{"name": "a", "runid": "r", "spec": {"template": {"kind": "Fio"}}}],
}
SECURED = {"security": {"enabled": True}}
WITH_SERVER = {"frontend": {"replicas": 3}, "database": {"kind": "postgresql"}}
WITH_SERVERS = {"frontend": {"replicas": 3}, "database": {"kind": "cloudnative-pg"}}
SCALED = {"metricsApi": {"external": True}, "workers": {queue: {"maxReplicas": 9} for queue in QUEUES if queue != "fio"}}
NOT_OF_FIO = {("fio", "pool"), ("fio", "minReplicas"), ("fio", "maxReplicas")}


def with_value(values, path, value):
    values = copy.deepcopy(values)
    node = values
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    return values


def test_each_value_does_something(helm):
    on = combined(ALL, {"dashboards": {"enabled": True}, "alerts": {"enabled": True}, "benchmarks": [benchmark("r1")]})
    more = (SECURED, WITH_SERVER, WITH_SERVERS, {"operator": {"enabled": False}}, {"operator": {"perftestWorkers": False}}, SCALED)
    bases = [(base, helm.render(base)) for base in (on, *(combined(on, values) for values in more))]
    of_all = set(SCHEMA["definitions"]["workers"]["properties"]) - {"client", "clientHost", "everyNode", "size", "storageClassName"}
    paths = list(leaves(DEFAULTS)) + [
        ("workers", queue, name) for queue in QUEUES for name in of_all if (queue, name) not in NOT_OF_FIO]
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


@pytest.mark.parametrize("values, message", [
    ({"database": {"kind": "postgresql"}}, "needs frontend.replicas above 1"),
    (combined(WITH_SERVER, SECURED), "speaks no TLS"),
    ({"frontend": {"store": {"enabled": False}}}, "set operator.enabled to false"),
    ({"workers": {"object": {"enabled": True, "everyNode": True, "replicas": 2}}}, "and no replicas"),
    ({"workers": {"object": {"enabled": True, "everyNode": True, "pool": True}}}, "neither pool nor maxReplicas"),
    ({"workers": {"fio": {"enabled": True, "maxReplicas": 3}}}, "neither pool nor maxReplicas"),
    ({"workers": {"sleep": {"pool": True}}}, "set operator.workerPools to true"),
    ({"workers": {"sleep": {"maxReplicas": 3}}}, "set metricsApi.external or metricsApi.custom"),
    ({"operator": {"perftestWorkers": True, "perftest": True}}, "set operator.perftest and operator.ownWorkers to true"),
    ({"metricsApi": {"custom": True}, "workers": {"sleep": {"maxReplicas": 3, "replicas": 1}}}, "give one of the two"),
    ({"metricsApi": {"custom": True}, "workers": {"sleep": {"maxReplicas": 3, "minReplicas": 4}}}, "maxReplicas is below minReplicas"),
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
    definitions = [data for data in found if data["kind"] == "CustomResourceDefinition"]
    assert len(definitions) == len(project.objects("CustomResourceDefinition"))


# ---- benchmarks


def names(texts):
    return [name for kind, _, name in objects(texts) if kind == "Benchmark"]


def test_runid_is_a_run(helm, tmp_path, programs):
    values = {"clients": {"namespace": VALIDATION}, "benchmarks": [benchmark("r1"), benchmark(20261129, "disks-2"), *EXAMPLE["benchmarks"]]}
    found = {key[2]: data for key, data in objects(helm.render(values)).items() if key[0] == "Benchmark"}
    assert list(found) == ["disks-r1", "disks-2-20261129", "objects-nightly-7"]
    assert found["disks-r1"]["spec"] == benchmark("r1")["spec"] and found["disks-r1"]["metadata"]["namespace"] == VALIDATION
    file = tmp_path / "benchmark.yaml"
    for name, job in (("disks-r1", "write"), ("objects-nightly-7", "1 job of ObjectStorage")):
        file.write_text(yaml.safe_dump(found[name]))
        assert job in run(programs / "twofold", "expand", file)


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


def test_definition_of_pools_comes_first(helm):
    values = {"operator": {"workerPools": True}, "workers": {"sleep": {"pool": True}}}

    def pools(texts):
        return [key for key in objects(texts) if key[0] == "WorkerPool"]

    before, after = (helm.render(values, apis=apis) for apis in ("", KNOWN))
    assert pools(before) == [] and pools(after) == [("WorkerPool", MONITORING, "scalability-tester-backend-sleep")]
    for texts, missing in ((before, True), (after, False)):
        notes = texts.get("templates/NOTES.txt")  # helm template does not print them
        assert notes is None or ("THERE ARE NO WORKERS YET OF sleep" in notes) is missing


@pytest.mark.parametrize("pools, token", [(False, "benchmarks"), (True, "operator")])
def test_operator_of_pools_has_the_token_of_an_admin(helm, pools, token):
    found = objects(helm.render({"security": {"enabled": True}, "clients": {"namespace": VALIDATION}, "operator": {"workerPools": pools}}))
    volumes = found["Deployment", MONITORING, "scalability-tester-operator"]["spec"]["template"]["spec"]["volumes"]
    assert {"name": "token", "secret": {"secretName": f"scalability-tester-{token}-token"}} in volumes


def test_benchmark_that_would_come_back_is_refused(helm):
    with pytest.raises(ValueError, match="would run it again"):
        helm.render({"benchmarks": [benchmark("r1", ttlSecondsAfterFinished=60)]})
    nightly = benchmark("r1", ttlSecondsAfterFinished=60, schedule="30 3 * * *")
    assert names(helm.render({"benchmarks": [nightly]})) == ["disks-r1"]


def test_name_that_is_too_long_is_refused(helm):
    with pytest.raises(ValueError, match="more than 63 letters"):
        helm.render({"benchmarks": [benchmark("r" * 40, "a" * 40)]})
