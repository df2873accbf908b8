"""What deployments/README.md says of files, scripts and seconds is so."""

import re

import pytest

import manifests

README = (manifests.DEPLOYMENTS / "README.md").read_text()
WORLD = manifests.world()


def backends():
    """Not of CronJobs: the extra workers of a CronJob are as those of the queue."""
    pods = [pod for pod in WORLD.pods if pod.component == "backend" and pod.manifest.kind in ("Deployment", "StatefulSet")]
    return {pod.instance: pod for pod in pods}


SECONDS = {row[0]: tuple(map(int, row[1:])) for row in re.findall(r"\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \|", README)}
APPLIED = sorted(set(re.findall(r"kubectl \w+ -[fk] (deployments/\S+?)`?[;\s]", README)))
SCRIPTS = sorted(set(re.findall(r"\./(\S+\.sh)", README)))
NAMED = sorted(set(re.findall(r"-f (dockerfiles/\S+)", README) + re.findall(r"`([a-z-]+queue/[^`*.]+(?:\.yaml)?)`", README)))
OBJECTS = sorted(set(re.findall(r"scalability-tester-(?:backend|client|cronjob|viewer|data\b)\S*?(?=[`\s])", README)))


def test_something_was_found():
    assert SECONDS and APPLIED and SCRIPTS and NAMED and OBJECTS


@pytest.mark.parametrize("queue", SECONDS)
def test_seconds_are_those_of_the_manifest(queue):
    pod = backends()[queue]
    options = pod.containers[0].options
    grace = pod.spec["terminationGracePeriodSeconds"]
    assert SECONDS[queue] == (int(options["limit"]), int(options["drain-limit"]), grace)


@pytest.mark.parametrize("folder", APPLIED)
def test_folder_to_apply_is_there(folder):
    assert folder == "deployments/configured/..." or manifests.ROOT / folder in manifests.kustomizations()


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_is_there(script):
    assert (manifests.ROOT / script).is_file()


@pytest.mark.parametrize("name", [name for name in NAMED if "..." not in name and not name.startswith("nap-")])
def test_file_is_there(name):
    assert (manifests.ROOT / name).exists() or (manifests.DEPLOYMENTS / name).exists()


@pytest.mark.parametrize("name", OBJECTS)
def test_object_is_there(name):
    assert name in {manifest.name for manifest in WORLD.manifests}


# ---- nothing is left out

IMAGES = sorted(path.stem for path in (manifests.ROOT / "dockerfiles").glob("*.docker"))


def test_every_queue_is_named():
    queues = {folder.name for folder in manifests.kustomizations() if folder.name.endswith("-queue")}
    assert queues == set(re.findall(r"`([a-z-]+-queue)`", README))


def test_every_component_has_a_row():
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\|.*\|$", README.partition("| component |")[2].partition("\n\n")[0], re.M)
    assert sorted(rows) == sorted(path.name for path in (manifests.DEPLOYMENTS / "components").iterdir())


def test_components_of_the_example_are_there():
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.S)
    for path in manifests.parse(block)[0]["components"]:
        assert (manifests.DEPLOYMENTS / "iperf-queue" / path / "Kustomization").is_file()


@pytest.mark.parametrize("image", IMAGES)
def test_every_image_has_a_row(image):
    assert f"| `{image}` |" in (manifests.ROOT / "dockerfiles" / "README.md").read_text()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"examples/\S+\.yaml", README))))
def test_example_is_there(path):
    assert (manifests.ROOT / path).is_file()
