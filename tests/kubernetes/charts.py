"""What the tests of the Helm chart share: its values, what renders it, and what deployments/ says of the same settings."""
import json
import os
import re
import subprocess

import yaml

import manifests

SOURCE = manifests.ROOT / "charts" / "twofold"
DEFAULTS = yaml.safe_load((SOURCE / "values.yaml").read_text())
SCHEMA = json.loads((SOURCE / "values.schema.json").read_text())
BY_HAND = {str(path.relative_to(SOURCE)) for path in SOURCE.glob("templates/**/*") if path.is_file()}
QUEUES = sorted(path.name.removesuffix("-queue") for path in manifests.DEPLOYMENTS.glob("*-queue"))

MONITORING, VALIDATION = "mon2", "valid2"
REGISTRY = "registry.example.com:5000/a/b"
DIGEST = "sha256:" + "5" * 64
README = (manifests.ROOT / "charts" / "README.md").read_text()
EXAMPLE = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", README, re.M | re.S)[1])
KNOWN = "twofold.dev/v1alpha1/Benchmark,twofold.dev/v1alpha1/WorkerPool"


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def combined(values, more):
    """As Helm combines them."""
    if not (isinstance(values, dict) and isinstance(more, dict)):
        return more
    return {**values, **{key: combined(values.get(key), value) for key, value in more.items()}}


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


def leaves(values, path=()):
    """The path of each value that is not a group of others."""
    if isinstance(values, dict) and values and path[-1:] != ("labels",):
        for key, value in values.items():
            yield from leaves(value, (*path, key))
    else:
        yield path


def benchmark(runid, name="disks", **spec):
    return {"name": name, "runid": runid, "spec": {
        "template": {"kind": "Fio", "spec": {"size": "16M", "runtime": "3s"}}, "permutations": {"product": {"rw": ["read", "write"]}}, **spec}}


# What the chart has no part of, and why.
NOT_IN_CHART = {
    "namespace": "the release's namespace is Helm's; clients.createNamespace makes the other",
    "cluster": "frontend/cluster is in it",
    "watch": "benchmarks of values are Benchmarks",
    "lifecycle": "a run by hand", "lifecycle/nightly": "the same",
    "media-queue/volume": "an example",
    "security/secret": "Secrets are made beside it",
    "benchmark-operator/perftest-workers/rights": "benchmark-operator/perftest-workers has it",
    "frontend/deletion-cost": "deployments-apply.sh turns it on",
    "sleep-queue/scaling-cronjob": "rules are applied beside it", "sleep-queue/scaling-custom": "the same",
    "sleep-queue/scaling-external": "the same", "sleep-queue/scaling-keda": "the same",
    "sleep-queue/scaling-keda-prometheus": "the same",
}
PARTS = ["frontend/service", "frontend", *(f"{queue}-queue" for queue in QUEUES), "lifecycle/rights", "benchmark-operator",
         "benchmark-operator/frontends", "benchmark-operator/policy", "benchmark-operator/own-workers", "benchmark-operator/pools",
         "benchmark-operator/perftest-workers", "benchmark-operator/crds", "benchmark-operator/measurements", "benchmark-operator/perftest", "benchmark-operator/perftest-crds"]
ALL = {
    "clients": {"namespace": VALIDATION},
    "operator": {"perftest": True, "measurements": True, "frontends": True, "policy": True, "workerPools": True, "ownWorkers": True,
                 "perftestWorkers": True},
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
        {"frontend": {"replicas": 3}, "database": {"kind": "postgresql"}, "metricsApi": {"custom": True},
         "workers": {"sleep": {"minReplicas": 1, "maxReplicas": 16}}},
        ["database/postgresql", "sleep-queue/scaling-own/custom"], ["frontend/cluster", "frontend/metrics-api"], ["-"]),
    "pools": (
        {"metricsApi": {"external": True}, "security": {"enabled": True}, "workers": {
            "sleep": {"maxReplicas": 16, "pool": True}, **{queue: {"pool": True} for queue in QUEUES if queue not in ("fio", "sleep")}}},
        ["security/policies", "sleep-queue/scaling-own/external"],
        ["frontend/store", "frontend/metrics-api", "components/worker-pool", "security/enable"], ["-"]),
}


def deployed(folder, parts, components, arguments):
    """What the same settings are in deployments/, as its README and scripts do it."""
    digests = folder / "digests"
    digests.write_text(f"scalability-tester-iperf@{DIGEST}\n")
    run(manifests.ROOT / "deployments-config.sh", "--component", "--output", folder / "configured",
        *(digests if argument == "DIGESTS" else argument for argument in arguments), MONITORING, VALIDATION)
    overlay = (folder / "overlay").resolve()
    overlay.mkdir()
    paths = [manifests.DEPLOYMENTS / name for name in components if name != "security/enable"] + [folder / "configured" / "component"]
    paths += [manifests.DEPLOYMENTS / "security/enable"] if "security/enable" in components else []
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": [os.path.relpath(manifests.DEPLOYMENTS / name, overlay) for name in [*PARTS, *parts]],
        "components": [os.path.relpath(path.resolve(), overlay) for path in paths]}))
    found = objects({"deployments.yaml": run("kubectl", "kustomize", overlay)})
    # docs/operator.md: beside the role and the definitions, the operator is told; and docs/scaling-workers.md: its token is an admin's.
    pod = found["Deployment", MONITORING, "scalability-tester-operator"]["spec"]["template"]["spec"]
    for volume in pod.get("volumes", []):
        if volume["name"] == "token":
            volume["secret"]["secretName"] = "scalability-tester-operator-token"
    operator = pod["containers"][0]
    operator["args"] += ["--perftest", f"--worker-pools={MONITORING}", "--frontends=/etc/twofold/frontends", "--own-workers",
                         f"--perftest-workers={MONITORING}", "--measurements", f"--job-image={operator['image']}"]
    return found


def assert_the_same(texts, wanted):
    found = objects({path: text for path, text in texts.items() if path not in BY_HAND})
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    for key, data in wanted.items():
        assert found[key] == data, key
