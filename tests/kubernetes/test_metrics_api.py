"""deployments/frontend/metrics-api: alone, and beside the other components of the frontend, in either order."""
import re

import pytest

import manifests
import overlays
import rules

PART = "frontend/metrics-api"
BESIDE = ["frontend/cluster", "security/enable", "frontend/store"]
OTHERS = ["namespace", "frontend", "frontend/service", "sleep-queue", "sleep-queue/scaling-own/external"]
NAME = "scalability-tester-frontend"


@pytest.fixture(scope="module", params=overlays.orders(PART, BESIDE), ids=" then ".join)
def world(request, kubectl, checker, tmp_path_factory):
    return overlays.world(kubectl, checker, tmp_path_factory.mktemp("overlay"), OTHERS, request.param)


def test_port_is_served_and_reached_by_the_api_service(world):
    (container,) = overlays.frontends(world).containers
    assert f"--metrics-api-address=:{rules.METRICS_API_PORT}" in container.args
    assert overlays.frontends(world).ports()["metrics-api"] == rules.METRICS_API_PORT
    service = world.find("Service", NAME, "monitoring")
    assert f"--metrics-api-service=$(POD_NAMESPACE)/{NAME}" in container.args
    fields = {entry["name"]: manifests.dig(entry, "valueFrom", "fieldRef", "fieldPath") for entry in container.data["env"]}
    assert fields["POD_NAMESPACE"] == "metadata.namespace"
    api_service = next(m for m in world.manifests if m.kind == "APIService").data["spec"]["service"]
    assert [p for p in service.data["spec"]["ports"] if p["port"] == api_service["port"]] == [
        {"name": "metrics-api", "port": rules.METRICS_API_PORT, "targetPort": "metrics-api"}]


def test_frontends_and_the_api_server_reach_one_another(world):
    policy = world.find("NetworkPolicy", NAME, "monitoring").data["spec"]
    anybody = [port["port"] for rule in policy["ingress"] if "from" not in rule for port in rule["ports"]]
    assert "metrics-api" in anybody, "the API server comes from no pod"
    anywhere = [port["port"] for rule in policy["egress"] if "to" not in rule for port in rule["ports"]]
    assert {443, 6443} <= set(anywhere)


def test_frontends_have_an_account_with_the_rights_that_they_use(world):
    pod = overlays.frontends(world)
    assert pod.spec["automountServiceAccountToken"] is True
    bound = {(binding.namespace, binding.data["roleRef"]["name"])
             for binding in world.manifests if binding.kind in ("RoleBinding", "ClusterRoleBinding")
             for subject in binding.data["subjects"] if subject["name"] == pod.spec["serviceAccountName"]}
    assert bound == {("kube-system", "extension-apiserver-authentication-reader"), (None, "system:auth-delegator"),
                     (None, f"{NAME}-metrics-api")}


def test_what_else_is_asked_of_a_frontend_holds(world):
    pod = overlays.frontends(world)
    assert list(rules.pod_gets_no_rights(pod, world)) == []
    assert list(rules.pod_mounts_what_exists(pod, world)) == []
    (container,) = pod.containers
    assert list(rules.container_has_no_privileges(container, world)) == []


def test_commands_of_the_roads_name_what_is_there():
    page = (manifests.ROOT / "docs" / "scaling-workers.md").read_text()
    folders = re.findall(r"kubectl apply (?:--server-side )?-[fk] (deployments/\S+)", page)
    assert {"deployments/sleep-queue/scaling-own/external", "deployments/sleep-queue/scaling-own/custom",
            "deployments/sleep-queue/scaling-keda"} <= set(folders)
    assert [folder for folder in folders if manifests.ROOT / folder not in manifests.kustomizations()] == []
    names = {(manifest.kind.lower(), manifest.name) for manifest in manifests.world().manifests}
    waited = re.findall(r"kubectl .*wait .*?(apiservice|scaledobject)/(\S+)", page)
    assert len(waited) == 3 and set(waited) <= names
    assert {("service", name) for name in re.findall(r"/namespaces/validation/services/([a-z-]+):", page)} <= names
