"""deployments/components: each on each queue and in combination is what its label says, and no more than that."""

import json
import os
import re
import subprocess

import pytest

import manifests
import rules
import sandbox

COMPONENTS = sorted(path.name for path in (manifests.DEPLOYMENTS / "components").iterdir())
QUEUES = sorted(path.name for path in manifests.DEPLOYMENTS.glob("*-queue"))
BENCHMARKS = ["iperf", "fio", "mpi", "pytorch", "openfoam", "rdma"]
OTHERS = ["namespace", "frontend", "frontend/service", "lifecycle/rights", "media-queue/volume", *QUEUES]
POOL = "worker-pool"  # is the last one, and so by its name
COMBINATIONS = [(), *((name,) for name in COMPONENTS), tuple(COMPONENTS), (*reversed(COMPONENTS[:-1]), POOL)]
SCALERS = ["scaling-custom", "scaling-external", "scaling-keda", "scaling-keda-prometheus", "scaling-own/custom", "scaling-own/external"]
SHARED = "../fio-queue/shared-volume"

# What we ask of every pod, and these components cannot have: the whole list.
EXCEPTIONS = {
    "host-network": {"hostNetwork is set"},
    "mtu": {"capabilities is {'add': ['NET_ADMIN'], 'drop': ['ALL']}, not {'drop': ['ALL']}"},
    "rdma": {"capabilities is {'add': ['IPC_LOCK'], 'drop': ['ALL']}, not {'drop': ['ALL']}"},
}
AS_ROOT = {"runAsUser is set beside the pod's", "runAsNonRoot is set beside the pod's"}
EXCEPTIONS = {name: said | (AS_ROOT if name != "host-network" else set()) for name, said in EXCEPTIONS.items()}


@pytest.fixture(scope="module")
def render(kubectl, tmp_path_factory):
    """The world that queues and components make, each combination once."""
    made = {}

    def world(*components):
        if components not in made:
            overlay = tmp_path_factory.mktemp("overlay").resolve()
            paths = [f"components/{name}" for name in components]
            resources, used = ([os.path.relpath(manifests.DEPLOYMENTS / name, overlay) for name in names]
                               for names in (OTHERS, paths))
            (overlay / "kustomization.yaml").write_text(json.dumps(
                {"kind": "Kustomization", "resources": resources, "components": used}))
            done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 0, done.stderr
            made[components] = [manifests.Manifest("overlay", data) for data in manifests.parse(done.stdout)]
        return manifests.World(made[components])

    return world


def backends(world):
    return {pod.instance: pod for pod in world.pods if pod.component == "backend"}


def labels(pod):
    """As the program reads them: the variable first, then --label."""
    (container,) = pod.containers
    said = container.environment().get("TWOFOLD_LABELS", "").split(",")
    said += [arg.removeprefix("--label=") for arg in container.expanded_args if arg.startswith("--label=")]
    return dict(label.split("=", 1) for label in said if label)


def truth(pod):
    """What labels may say of a pod, by the fields that count for Kubernetes."""
    (container,) = pod.containers
    told = {"hostNetwork": str(bool(pod.spec.get("hostNetwork"))).lower(), "image": container.data["image"],
            "networkName": pod.annotations.get("v1.multus-cni.io/default-network"),
            "mtu": pod.annotations.get("twofold/mtu") if any(c.name == "mtu" for c in pod.all_containers) else None}
    for kind, amounts in container.data["resources"].items():
        told |= {f"resources.{kind}.{name}": str(amount) for name, amount in amounts.items()}
    return told


def complaints(world):
    return {text for rule, subject in rules.cases(world) for text in rule(subject, world)}


@pytest.mark.parametrize("components", COMBINATIONS, ids="+".join)
def test_objects_are_valid_and_keep_all_rules_but_those_named(checker, render, components):
    world = render(*components)
    assert [error for manifest in world.manifests for error in checker.errors(manifest.data)] == []
    allowed = set().union(*(EXCEPTIONS.get(name, set()) for name in components))
    assert complaints(world) == allowed


@pytest.mark.parametrize("components", COMBINATIONS, ids="+".join)
def test_labels_are_the_truth(render, components):
    for queue, pod in backends(render(*components)).items():
        said, told = labels(pod), truth(pod)
        mine = {key: value for key, value in said.items() if not key.startswith("volumeClaimTemplate.")}
        assert mine == {key: told[key] for key in mine}, queue
        assert (said.get("networkName"), said.get("mtu")) == (told["networkName"], told["mtu"]), queue


@pytest.mark.parametrize("queue", BENCHMARKS)
def test_program_accepts_the_arguments_of_all_components_together(programs, render, tmp_path, queue):
    (container,) = backends(render(*COMPONENTS))[queue].containers
    done = sandbox.Sandbox(tmp_path, container, programs).run("--check-config")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("queue", [name.removesuffix("-queue") for name in QUEUES])
def test_each_component_does_what_it_is_called(render, queue):
    def pod(name):
        return backends(render(name))[queue]

    assert pod("host-network").spec["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert labels(pod("host-network"))["hostNetwork"] == "true"
    assert labels(pod("multus-network"))["networkName"] == "default/mlnx-net"
    assert labels(pod("mtu"))["mtu"] == "9000"
    assert pod("mtu").spec["initContainers"][0]["name"] == "mtu"  # before what may use the network
    for name, device in (("rdma", "rdma/rdma_shared_device_a"), ("sriov", "nvidia.com/mlnxnet"),
                         ("nvidia-gpu", "nvidia.com/gpu"), ("intel-gpu", "gpu.intel.com/i915")):
        assert pod(name).containers[0].data["resources"]["limits"][device] == "1"
        assert labels(pod(name))[f"resources.limits.{device}"] == "1"
    shares = {"gpu.intel.com/i915": "1", "gpu.intel.com/millicores": "500", "gpu.intel.com/memory.max": "2G"}
    for kind in ("requests", "limits"):
        assert shares.items() <= pod("intel-gpu-share").containers[0].data["resources"][kind].items()
        assert {f"resources.{kind}.{name}": amount for name, amount in shares.items()}.items() <= labels(pod("intel-gpu-share")).items()
    (term,) = pod("one-worker-a-node").spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert manifests.matches(term["labelSelector"], pod("one-worker-a-node").labels)
    assert term["matchLabelKeys"] == [rules.app("instance")]


def test_pools_have_the_pods_of_the_deployments(render):
    before, after = backends(render()), backends(render(POOL))
    assert {pod.instance for pod in after.values() if pod.manifest.kind != "WorkerPool"} == {"fio"}  # each has a volume
    for queue, pod in after.items():
        told, spec = before[queue].manifest.data["spec"], pod.manifest.data["spec"]
        assert (pod.manifest.name, spec.get("replicas")) == (before[queue].manifest.name, told.get("replicas")), queue
        for template in (told["template"], spec["template"]):  # that there are none may be written
            template["spec"].setdefault("volumes", [])
            template["spec"]["containers"][0].setdefault("volumeMounts", [])
        assert spec["template"] == told["template"], queue


@pytest.mark.parametrize("folder", SCALERS)
def test_autoscalers_beside_a_pool_scale_the_pool(kubectl, tmp_path, folder):
    overlay = tmp_path.resolve()
    resources, used = ([os.path.relpath(manifests.DEPLOYMENTS / name, overlay) for name in names]
                       for names in (["sleep-queue", f"sleep-queue/{folder}"], [f"components/{POOL}"]))
    (overlay / "kustomization.yaml").write_text(json.dumps({"kind": "Kustomization", "resources": resources, "components": used}))
    done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, timeout=60, check=True)
    world = manifests.World([manifests.Manifest("overlay", data) for data in manifests.parse(done.stdout)])
    (scaler,) = [manifest for manifest in world.manifests if manifest.kind in ("HorizontalPodAutoscaler", "ScaledObject")]
    assert scaler.data["spec"]["scaleTargetRef"] == {
        "apiVersion": "twofold.dev/v1alpha1", "kind": "WorkerPool", "name": "scalability-tester-backend-sleep"}
    assert list(rules.target_exists(scaler, world)) == []


@pytest.mark.parametrize("name", ["rdma", "sriov", "nvidia-mig", "intel-gpu"])
def test_name_of_a_device_can_be_changed_as_the_file_says(name):
    text = (manifests.DEPLOYMENTS / "components" / name / "Kustomization").read_text()
    (old,) = re.findall(r"sed 's\|(\S+)\|\S+\|'", text)
    (patched,) = {key for key in re.findall(r"--label=resources\.(?:limits|requests)\.(\S+)=1", text)}
    assert patched == old
    assert text.count(old) == 1 + 2 + 2  # in the comment, requests and limits, their labels


# ---- files of benchmarks run on the workers that they are for


@pytest.mark.parametrize("file, queue, components", [
    ("cni/iperf-set.yaml", "iperf", []),
    ("hostnet/iperf-set.yaml", "iperf", ["host-network"]),
    ("hostnet/mpi-pingpong-set.yaml", "mpi", ["host-network"]),
    ("sriov/iperf-set.yaml", "iperf", ["multus-network", "sriov"]),
    ("sriov/mpi-pingpong-set.yaml", "mpi", ["multus-network", "sriov"]),
    ("cni/openfoam-set.yaml", "openfoam", []),
    ("hostnet/openfoam.yaml", "openfoam", ["host-network"]),
    ("sriov/rdma-bw-set.yaml", "rdma", ["multus-network", "sriov"]),
])
def test_example_finds_its_workers(programs, render, file, queue, components):
    done = subprocess.run([programs / "twofold", "expand", "--output=json",
                           manifests.ROOT / "examples" / "benchmarks" / file],
                          capture_output=True, text=True, timeout=60, check=True)
    needed = [item for p in json.loads(done.stdout)["permutations"] for item in p["labels"].items()]
    assert set(needed) <= set(labels(backends(render(*components))[queue]).items())
    if components:
        assert not set(needed) <= set(labels(backends(render())[queue]).items())


# ---- volumes of fio


def volume_labels(pod):
    return {key: value for key, value in labels(pod).items() if key.startswith("volumeClaimTemplate.")}


def as_labels(spec):
    return {"volumeClaimTemplate.accessModes": ",".join(spec["accessModes"]),
            "volumeClaimTemplate.resources.requests.storage": spec["resources"]["requests"]["storage"]}


def test_each_fio_worker_has_a_volume_where_it_works(render):
    pod = backends(render())["fio"]
    (claim,) = pod.manifest.data["spec"]["volumeClaimTemplates"]
    assert volume_labels(pod) == as_labels(claim["spec"])
    assert claim["metadata"]["labels"] == pod.labels  # deployments-apply.sh -v finds it
    assert pod.containers[0].options["work-dir"] == pod.containers[0].data["volumeMounts"][0]["mountPath"]


@pytest.mark.parametrize("components", [(SHARED,), (SHARED, *COMPONENTS), (*COMPONENTS, SHARED)], ids=["alone", "first", "last"])
def test_fio_workers_share_a_volume_and_no_folder(checker, render, components):
    world = render(*components)
    assert [error for manifest in world.manifests for error in checker.errors(manifest.data)] == []
    pod = backends(world)["fio"]
    assert "volumeClaimTemplates" not in pod.manifest.data["spec"]
    (name,) = [volume["persistentVolumeClaim"]["claimName"] for volume in pod.spec["volumes"] if volume["name"] == "scratch"]
    claim = world.find("PersistentVolumeClaim", name, pod.namespace)
    assert claim.data["spec"]["accessModes"] == ["ReadWriteMany"]
    assert volume_labels(pod) == as_labels(claim.data["spec"])
    (mount,) = [mount for mount in pod.containers[0].data["volumeMounts"] if mount["name"] == "scratch"]
    assert mount["subPathExpr"] == "$(POD_NAME)"


# ---- the script that sets the MTU

FAKE_IP = """#!/bin/sh
echo "ip $*" >>"$CALLS"
case "$*" in "link show dev net1" | "link set dev net1 "* | "-brief link") ;; *) exit 1 ;; esac
"""


@pytest.fixture
def set_mtu(render, tmp_path):
    """Runs the script of the init container; gives how it ended and the calls of ip."""
    (container,) = [c for c in backends(render("mtu", "host-network"))["mpi"].all_containers if c.name == "mtu"]
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ip").write_text(FAKE_IP)
    (tools / "ip").chmod(0o755)

    def run(**environment):
        calls = tmp_path / "calls"
        calls.write_text("")
        done = subprocess.run([*container.data["command"], *container.args], capture_output=True, text=True, check=False,
                              env={"PATH": f"{tools}:/usr/bin:/bin", "CALLS": str(calls), **environment})
        return done, calls.read_text().splitlines()

    run.script = container.args[0]
    return run


def test_mtu_is_set_on_the_interface_that_is_named(set_mtu):
    done, calls = set_mtu(POD_IP="10.1.2.3", HOST_IP="10.0.0.5", INTERFACE="net1", MTU="9000")
    assert done.returncode == 0, done.stderr
    assert calls[-1] == "ip link set dev net1 mtu 9000"


def test_mtu_of_a_node_is_refused(set_mtu):
    done, calls = set_mtu(POD_IP="10.0.0.5", HOST_IP="10.0.0.5", INTERFACE="net1", MTU="9000")
    assert done.returncode == 1 and "host's network" in done.stderr
    assert calls == []


def test_mtu_of_an_interface_that_is_not_there_is_refused(set_mtu):
    done, calls = set_mtu(POD_IP="10.1.2.3", HOST_IP="10.0.0.5", INTERFACE="net7", MTU="9000")
    assert done.returncode == 1 and "no interface net7" in done.stderr
    assert not any("mtu" in call for call in calls)


def test_script_is_clean(set_mtu):
    done = subprocess.run(["shellcheck", "--shell=sh", "-"], input=set_mtu.script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_example_of_a_pool_has_the_pods_of_the_deployment():
    pool, = manifests.parse((manifests.ROOT / "examples/operator/sleep-pool.yaml").read_text())
    deployment, = manifests.parse((manifests.DEPLOYMENTS / "sleep-queue/sleep-backend.yaml").read_text())
    assert pool["spec"]["template"]["spec"] == deployment["spec"]["template"]["spec"]
    wanted = deployment["spec"]["template"]["metadata"]["labels"] | {"app.kubernetes.io/instance": "sleep-pool"}
    assert pool["spec"]["template"]["metadata"]["labels"] == wanted
