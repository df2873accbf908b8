"""deployments/frontend/deletion-cost: alone, and beside the other components of the frontend, in either order."""

import pytest

import manifests
import overlays
import rules

PART = "frontend/deletion-cost"
BESIDE = ["frontend/cluster", "frontend/metrics-api", "security/enable"]
OTHERS = ["namespace", "frontend", "frontend/service", "sleep-queue"]
NAME = "scalability-tester-frontend"


@pytest.fixture(scope="module", params=overlays.orders(PART, BESIDE), ids=" then ".join)
def world(request, kubectl, checker, tmp_path_factory):
    return overlays.world(kubectl, checker, tmp_path_factory.mktemp("overlay"), OTHERS, request.param)


def policy(world):
    return world.find("ValidatingAdmissionPolicy", f"{NAME}-deletion-cost").data["spec"]


def test_frontend_is_told_the_namespace_of_the_workers_pods(world):
    (container,) = overlays.frontends(world).containers
    assert "--deletion-cost=$(POD_NAMESPACE)" in container.args
    fields = {entry["name"]: manifests.dig(entry, "valueFrom", "fieldRef", "fieldPath") for entry in container.data["env"]}
    assert fields["POD_NAMESPACE"] == "metadata.namespace"
    assert overlays.frontends(world).namespace == next(pod.namespace for pod in world.pods if pod.component == "backend")


def test_frontend_reaches_the_api_server_with_an_account_of_its_own(world):
    pod = overlays.frontends(world)
    assert list(rules.pod_gets_no_rights(pod, world)) == []
    anywhere = [port["port"] for rule in world.find("NetworkPolicy", NAME, "monitoring").data["spec"]["egress"]
                if "to" not in rule for port in rule["ports"]]
    assert {443, 6443} <= set(anywhere)


def test_the_right_to_patch_pods_comes_with_the_policy_that_bounds_it(world):
    role = world.find("Role", f"{NAME}-deletion-cost", "monitoring")
    assert list(rules.role_only_looks(role, world)) == []
    (binding,) = [m for m in world.manifests if m.kind == "RoleBinding" and m.data["roleRef"]["name"] == role.name]
    (account,) = binding.data["subjects"]
    username = f"system:serviceaccount:{account['namespace']}:{account['name']}"
    assert account["name"] == overlays.frontends(world).spec["serviceAccountName"]
    (condition,) = policy(world)["matchConditions"]
    assert f"endsWith(':{account['name']}')" in condition["expression"] and username.startswith("system:serviceaccount:")
    bound = world.find("ValidatingAdmissionPolicyBinding", role.name).data["spec"]
    assert bound == {"policyName": role.name, "validationActions": ["Deny"]}, "everywhere, and not just said"


def test_policy_covers_what_the_role_allows(world):
    (covered,) = policy(world)["matchConstraints"]["resourceRules"]
    assert (covered["apiGroups"], covered["resources"], covered["operations"]) == ([""], ["pods"], ["UPDATE"])
    assert policy(world)["failurePolicy"] == "Fail"


def test_policy_lets_through_pods_with_the_labels_that_workers_have(world):
    text = policy(world)["validations"][0]["expression"]
    wanted = {rules.app(label): value for label, value in (("name", "scalability-tester"), ("component", "backend"))}
    assert all(f"variables.labels['{label}'] == '{value}'" in text for label, value in wanted.items())
    for pod in world.pods:
        assert (wanted.items() <= pod.labels.items()) is (pod.component == "backend")


def test_policy_names_the_annotation_that_the_frontend_writes(world):
    source = (manifests.ROOT / "frontend/scalers/cost_writer.cc").read_text()
    annotation = source.partition('kAnnotation = "')[2].partition('"')[0]
    assert annotation.endswith("pod-deletion-cost")
    assert policy(world)["validations"][1]["expression"].count(f"'{annotation}'") == 2
