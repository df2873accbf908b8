"""An API server would take what the built-in templates of `twofold lifecycle` make."""

import json

import pytest

import manifests
from changes import put

TEMPLATES = manifests.ROOT / "tests/golden/lifecycle/templates"
FILES = sorted(TEMPLATES.glob("*.json"))
WITHOUT_PODS = ("TrainJob", "TrainingWorkload", "DistributedWorkload", "InteractiveWorkload")


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
    assert [error for data in objects for error in checker.errors(data)] == []
    pods = [as_pod(template) for data in objects for template in pod_templates(data)]
    assert pods or objects[0]["kind"] in WITHOUT_PODS, "nothing was checked"
    assert [error for pod in pods for error in checker.errors(pod)] == []


# What was rendered once, and no server or controller takes: the checker must say so.
REFUSED = {
    "GPUs of Run:ai as a number": ("runai-training", put(2, "spec", "gpu", "value"), "spec.gpu.value"),
    "workers of Run:ai that are none": ("runai-distributed", put(0, "spec", "workers", "value"), "spec.workers.value"),
    "a tolerations list in Run:ai": ("runai-training", put([], "spec", "tolerations"), "spec.tolerations"),
    "a Worker of no replicas": ("pytorchjob", put(0, "spec", "pytorchReplicaSpecs", "Worker", "replicas"), "Worker.replicas"),
    "an MPIJob without workers": ("mpijob", put(0, "spec", "mpiReplicaSpecs", "Worker", "replicas"), "Worker.replicas"),
    "processes of a TrainJob as a text": ("trainjob", put("auto", "spec", "trainer", "numProcPerNode"), "numProcPerNode"),
    "a TrainJob with a pod template": ("trainjob", put({}, "spec", "trainer", "template"), "template"),
    "suspend of a JobSet where Kubeflow has it": ("kueue-jobset", put({"suspend": True}, "spec", "runPolicy"), "runPolicy"),
}


@pytest.mark.parametrize("name, change, complaint", REFUSED.values(), ids=REFUSED.keys())
def test_what_a_server_would_refuse_is_refused(checker, name, change, complaint):
    data = json.loads((TEMPLATES / f"{name}.json").read_text())[0]
    assert checker.errors(data) == []
    change(data)
    errors = checker.errors(data)
    assert len(errors) == 1 and complaint in errors[0], errors


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_object_and_pod_has_the_labels_of_its_run(path):
    objects = json.loads(path.read_text())
    for data in objects + pod_templates(objects):
        assert data["metadata"]["labels"]["twofold/run"] == "r1"
        assert data["metadata"]["labels"]["twofold/workload"] == "w-7"


def test_there_are_templates():
    assert len(FILES) >= 36
