"""An API server would take what the built-in templates of `twofold lifecycle` make, as far as schemas are known."""

import json

import pytest

import manifests

FILES = sorted((manifests.ROOT / "tests/golden/lifecycle/templates").glob("*.json"))
CORE = ("v1", "batch/v1")


def pod_templates(data):
    """Every map in it that has a spec with containers."""
    if isinstance(data, list):
        return [found for each in data for found in pod_templates(each)]
    if not isinstance(data, dict):
        return []
    spec = data.get("spec")
    if isinstance(spec, dict) and "containers" in spec:
        return [data]
    return [found for each in data.values() for found in pod_templates(each)]


def as_pod(template):
    return {**template, "apiVersion": "v1", "kind": "Pod"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_objects_and_their_pods_fit_the_schemas(checker, path):
    objects = json.loads(path.read_text())
    known = [data for data in objects if data["apiVersion"] in CORE]
    assert [error for data in known for error in checker.errors(data)] == []
    # Custom kinds have no schema here; their pods are those of Kubernetes all the same.
    pods = [as_pod(template) for data in objects for template in pod_templates(data)]
    assert pods or objects[0]["apiVersion"].startswith("run.ai/"), "nothing was checked"
    assert [error for pod in pods for error in checker.errors(pod)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_object_and_pod_has_the_labels_of_its_run(path):
    objects = json.loads(path.read_text())
    for data in objects + pod_templates(objects):
        assert data["metadata"]["labels"]["twofold/run"] == "r1"
        assert data["metadata"]["labels"]["twofold/workload"] == "w-7"


def test_there_are_templates():
    assert len(FILES) >= 13
