"""deployments/frontend/store: alone and beside security/enable, in either order."""
import itertools
import os
import subprocess

import pytest

import manifests

COMPONENTS = ["frontend/store", "security/enable"]
ORDERS = [COMPONENTS[:1], *map(list, itertools.permutations(COMPONENTS))]


@pytest.fixture(scope="module", params=ORDERS, ids=" then ".join)
def frontend(request, kubectl, checker, tmp_path_factory):
    """The frontend's Deployment as an overlay makes it."""
    overlay = tmp_path_factory.mktemp("overlay")

    def paths(names):
        return ", ".join(os.path.relpath(manifests.DEPLOYMENTS / name, overlay.resolve()) for name in names)

    (overlay / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        f"resources: [{paths(['frontend/service', 'frontend', 'sleep-queue'])}]\ncomponents: [{paths(request.param)}]\n")
    done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    objects = {(data["kind"], data["metadata"]["name"]): data for data in manifests.parse(done.stdout)}
    assert [error for data in objects.values() for error in checker.errors(data)] == []
    assert ("PersistentVolumeClaim", "scalability-tester-store") in objects
    return objects["Deployment", "scalability-tester-frontend"]


def test_file_is_on_the_claim_and_may_be_written(frontend):
    pod = frontend["spec"]["template"]["spec"]
    container = pod["containers"][0]
    path = next(arg for arg in container["args"] if arg.startswith("--store=")).partition(":")[2]
    mount = next(mount for mount in container["volumeMounts"] if mount["mountPath"] == os.path.dirname(path))
    assert not mount.get("readOnly")
    volume = next(volume for volume in pod["volumes"] if volume["name"] == mount["name"])
    assert volume["persistentVolumeClaim"]["claimName"] == "scalability-tester-store"
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsGroup"]


def test_one_frontend_at_a_time_has_the_file(frontend):
    assert frontend["spec"]["replicas"] == 1
    assert frontend["spec"]["strategy"]["type"] == "Recreate"


def test_each_mount_has_its_volume(frontend):
    pod = frontend["spec"]["template"]["spec"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    mounts = {mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    assert mounts == volumes
