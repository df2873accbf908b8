"""deployments/lifecycle: what the Job and the nightly CronJob run, with an API server in memory, and the rights that it uses."""

import json
import os
import re
import subprocess

import pytest

import manifests
import running

FAKE = manifests.ROOT / "build/dev/tests/kubernetes/lifecycle/fake_cluster"
WORLD = manifests.world()
JOB, NIGHTLY = (
    next(pod for pod in WORLD.pods if (pod.manifest.kind, pod.component) == (kind, "lifecycle")) for kind in ("Job", "CronJob")
)
QUICK = {"--count": "--count=8", "--rate": "--rate=100"}  # instead of half a minute


@pytest.fixture
def cluster(tmp_path):
    """Its kubeconfig, and the file that has what was used when it has ended."""
    program = os.environ.get("TWOFOLD_FAKE_CLUSTER", FAKE)
    if not os.access(program, os.X_OK):
        pytest.skip(f"{program} is not built")
    config, used = tmp_path / "kubeconfig", tmp_path / "used.json"
    with running.program(program, config, used, log=tmp_path / "cluster.log"):
        running.wait_for(config.exists, "fake cluster")
        yield config
    assert json.loads(used.read_text())


def run(programs, container, config, folder):
    """Its exit code; volumes are folders of this machine."""
    for name in ("results", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    args = [QUICK.get(arg.partition("=")[0], arg) for arg in container.args]
    args = [re.sub("(^|=)/(results|tmp)/", rf"\1{folder}/\2/", arg) for arg in args]
    args = ["--http-address=127.0.0.1:0" if arg.startswith("--http-address=") else arg for arg in args]
    environment = {**os.environ, "KUBECONFIG": str(config)}
    return subprocess.run([programs / "twofold", *args], env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_job_keeps_its_run(programs, cluster, tmp_path):
    (container,) = JOB.containers
    done = run(programs, container, cluster, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "workloads 8, complete 8" in done.stdout
    listed = subprocess.run([programs / "twofold", "runs", "--store", tmp_path / "results/runs.db"], capture_output=True, text=True, check=True)
    assert "Lifecycle" in listed.stdout


def night(programs, cluster, tmp_path):
    """A night of the CronJob: the first step that fails ends it, as the kubelet does."""
    for path in (tmp_path / "tmp").glob("*"):  # an emptyDir of the pod
        path.unlink()
    for container in NIGHTLY.all_containers:
        done = run(programs, container, cluster, tmp_path)
        if done.returncode != 0:
            return container.name, done.stdout + done.stderr
    return None


def runs_in(programs, store):
    listed = subprocess.run([programs / "twofold", "runs", "--output=json", "--store", store], capture_output=True, text=True, check=True)
    return len(json.loads(listed.stdout))


def test_nights_are_compared_with_the_last_good_one(programs, cluster, tmp_path):
    good, kept = tmp_path / "results/good.db", tmp_path / "results/runs.db"
    assert night(programs, cluster, tmp_path) is None  # nothing to compare with yet
    assert runs_in(programs, good) == 1
    failed = night(programs, cluster, tmp_path)
    assert runs_in(programs, kept) == 2
    # Both nights have the same planted times, but this machine may be busy.
    assert failed is None or failed[0] == "compare", failed
    assert runs_in(programs, good) == (2 if failed is None else 1)


def test_a_night_whose_run_fails_is_not_compared(programs, tmp_path):
    config = tmp_path / "kubeconfig"
    config.write_text("{}")
    assert night(programs, config, tmp_path)[0] == "run"


def test_every_kind_of_step_is_there():
    assert [container.name for container in NIGHTLY.all_containers] == ["run", "compare", "export", "lifecycle"]
