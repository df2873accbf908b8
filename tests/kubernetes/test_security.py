"""deployments/security: what its parts turn on fits together, and nothing in it is a secret."""
import os
import subprocess

import pytest

import manifests

SECRETS = [m for m in manifests.world().manifests if m.kind == "Secret"]
PROGRAMS = [("Deployment", f"scalability-tester-{name}") for name in ("frontend", "backend-sleep", "client-sleep", "operator")] + [
    ("WorkerPool", "scalability-tester-backend-mpi")]  # of a folder with that component


def secret_names():
    """(namespace, name) of all Secrets, those that cert-manager makes as well."""
    made = {(m.namespace, m.data["spec"]["secretName"]) for m in manifests.world().manifests if m.kind == "Certificate"}
    return made | {(m.namespace, m.name) for m in SECRETS}


@pytest.fixture(scope="module")
def secured(kubectl, tmp_path_factory):
    """Frontend and a queue with the component, by (kind, name)."""
    overlay = tmp_path_factory.mktemp("overlay")
    (overlay / "pool").mkdir()
    of_pool = [os.path.relpath(manifests.DEPLOYMENTS / name, overlay.resolve() / "pool") for name in ("mpi-queue", "components/worker-pool")]
    (overlay / "pool" / "kustomization.yaml").write_text(f"resources: [{of_pool[0]}]\ncomponents: [{of_pool[1]}]\n")
    relative = {name: os.path.relpath(manifests.DEPLOYMENTS / name, overlay.resolve())
                for name in ("frontend/service", "frontend", "sleep-queue", "benchmark-operator", "security/enable")}
    component = relative.pop("security/enable")
    (overlay / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        f"resources: [pool, {', '.join(relative.values())}]\ncomponents: [{component}]\n")
    done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return {(data["kind"], data["metadata"]["name"]): data for data in manifests.parse(done.stdout)}


def test_objects_stay_valid(checker, secured):
    assert [error for data in secured.values() for error in checker.errors(data)] == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_files_of_the_arguments_are_mounted_from_secrets_that_exist(secured, program):
    deployment = secured[program]
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    files = [arg.partition("=")[2] for arg in container["args"] if arg.partition("=")[2].startswith("/etc/twofold/")]
    assert files, container["args"]
    volumes = {volume["name"]: volume["secret"] for volume in pod["volumes"] if "secret" in volume}
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    for path in files:
        secret = volumes[mounts[os.path.dirname(path)]]
        assert (deployment["metadata"]["namespace"], secret["secretName"]) in secret_names()
        assert all(item["key"] == os.path.basename(path) for item in secret.get("items", []))


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_ends_of_a_connection_show_a_certificate(secured, program):
    args = secured[program]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert {"--tls-ca", "--tls-cert", "--tls-key", "--token-file"} <= {arg.partition("=")[0] for arg in args}


def test_probes_speak_tls_where_the_server_does(secured):
    container = secured[PROGRAMS[0]]["spec"]["template"]["spec"]["containers"][0]
    assert any(arg.startswith("--tls-cert=") for arg in container["args"])
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["scheme"] == "HTTPS"


def test_prometheus_has_ca_and_token(secured):
    endpoint = secured["ServiceMonitor", "scalability-tester-frontend"]["spec"]["endpoints"][0]
    assert endpoint["scheme"] == "https"
    tls = endpoint["tlsConfig"]
    for name in (tls["ca"]["secret"]["name"], tls["cert"]["secret"]["name"], tls["keySecret"]["name"],
                 endpoint["authorization"]["credentials"]["name"]):
        assert ("monitoring", name) in secret_names()


def test_certificate_is_for_the_names_that_are_connected_to(secured):
    names = next(m.data["spec"]["dnsNames"] for m in manifests.world().manifests
                 if m.kind == "Certificate" and m.name == "scalability-tester-frontend")
    for program in PROGRAMS[1:]:
        args = secured[program]["spec"]["template"]["spec"]["containers"][0]["args"]
        (name,) = [arg.partition("=")[2] for arg in args if arg.startswith("--tls-server-name=")]
        assert name in names


@pytest.mark.parametrize("secret", SECRETS, ids=str)
def test_no_secret_is_one(secret):
    """A token or key that stands in a public file is none: the programs refuse these placeholders."""
    values = " ".join(secret.data["stringData"].values()).split()
    roles = {"worker", "client", "read-only", "admin", "#", "ROLE", "NAME", "TOKEN"}
    assert "replace-me" in values and set(values) <= roles | {"replace-me", "workers", "load", "benchmarks", "prometheus", "operator"}
    assert len("replace-me") < 16
