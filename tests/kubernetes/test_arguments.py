"""The programs accept the arguments of the manifests, and what they run can be run."""

import os

import pytest

import manifests
import sandbox

WORLD = manifests.world()
OURS = [container for pod in WORLD.pods for container in pod.all_containers if container.is_ours]
# Their workloads need nothing that a machine without cluster and devices does not have.
NOTHING_NEEDED = [
    container
    for container in OURS
    if container.program == "twofold-backend"
    and container.workload[0].startswith(("sleep", "/"))  # a suite takes a gang, or a spec
    and all("emptyDir" in volume for volume in container.pod.spec.get("volumes", []))
]


def check_config(programs, folder, container, *more):
    box = sandbox.Sandbox(folder, container, programs)
    box.add_matching_file()
    box.add_program()
    return box.run("--check-config", *more)


def programs_needed(pod):
    """What its containers start, beside our programs."""
    first = [(c.data["command"] if not c.is_ours else c.workload)[:1] for c in pod.all_containers]
    return [word for words in first for word in words if word.startswith("/")]


@pytest.mark.parametrize("container", OURS, ids=str)
def test_program_accepts_its_arguments(programs, tmp_path, container):
    done = check_config(programs, tmp_path, container)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("container", OURS, ids=str)
def test_program_refuses_an_unknown_argument(programs, tmp_path, container):
    done = check_config(programs, tmp_path, container, "--surprise=1")
    assert done.returncode == 2 and "--surprise" in done.stderr


@pytest.mark.parametrize("container", NOTHING_NEEDED, ids=str)
def test_workload_does_a_job(programs, tmp_path, container):
    for program in programs_needed(container.pod):
        if not os.access(program, os.X_OK):
            pytest.skip(f"{program} is not installed")
    for init in container.pod.all_containers:
        if not init.is_ours:
            done = sandbox.Sandbox(tmp_path, init, programs).run_as_is()
            assert done.returncode == 0, done.stderr
    done = sandbox.Sandbox(tmp_path, container, programs).run("--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "succeeded" in done.stdout
