import os
import pathlib
import shutil
import subprocess

import pytest

import manifests
import schema


@pytest.fixture(scope="session")
def checker():
    folder = pathlib.Path(os.environ.get("TWOFOLD_K8S_SCHEMAS", manifests.ROOT / "../shared/k8s"))
    if not folder.is_dir():
        pytest.skip(f"no Kubernetes schemas in {folder}; TWOFOLD_K8S_SCHEMAS says where they are")
    return schema.Checker(folder)


@pytest.fixture(scope="session")
def kubectl():
    return shutil.which("kubectl") or pytest.skip("no kubectl here, so no kustomize")


@pytest.fixture(scope="session")
def programs():
    folder = pathlib.Path(os.environ.get("TWOFOLD_BIN", manifests.ROOT / "build/dev/bin"))
    if not (folder / "twofold-backend").exists():
        pytest.fail(f"no programs in {folder}: build them (./run-tests.sh dev), or say where they are with TWOFOLD_BIN")
    return folder


@pytest.fixture(scope="session")
def chart(kubectl, tmp_path_factory):
    """The Helm chart that is made of deployments/."""
    folder = tmp_path_factory.mktemp("chart")
    done = subprocess.run([manifests.ROOT / "packaging" / "make-chart.sh", folder], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "twofold"
