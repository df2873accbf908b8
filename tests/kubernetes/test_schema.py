"""An API server would take every object, and the checker that says so refuses broken ones."""

import copy
import subprocess

import pytest

import manifests
from changes import drop, put

FILES = manifests.files()
KUSTOMIZATIONS = manifests.kustomizations()
# Put other folders together, so they are for `kubectl apply -k` only.
OVERLAYS = {"cluster", "benchmark-operator/perftest-workers"}


def identity(data):
    metadata = data["metadata"]
    return data["apiVersion"], data["kind"], metadata.get("namespace"), metadata["name"]


def kustomize(kubectl, folder):
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return manifests.parse(done.stdout)


@pytest.mark.parametrize("path", FILES, ids=manifests.relative)
def test_file_has_valid_objects_only(checker, path):
    objects = manifests.parse(path.read_text())
    assert objects, "no object in it: kubectl apply -f would complain"
    assert [error for data in objects for error in checker.errors(data)] == []


@pytest.mark.parametrize("folder", KUSTOMIZATIONS, ids=manifests.relative)
def test_kustomization_gives_valid_objects_and_those_of_its_folder(checker, kubectl, folder):
    objects = kustomize(kubectl, folder)
    assert [error for data in objects for error in checker.errors(data)] == []
    in_files = [data for path in FILES if path.parent == folder for data in manifests.parse(path.read_text())]
    if manifests.relative(folder) in OVERLAYS:
        assert objects and not in_files
        return
    assert sorted(map(str, map(identity, objects))) == sorted(map(str, map(identity, in_files)))


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=manifests.relative)
def test_folder_can_be_applied_with_f_and_with_k(folder):
    assert folder in KUSTOMIZATIONS, "no Kustomization: kubectl apply -k would complain"
    # `kubectl apply -f` reads each .yaml, .yml and .json, and knows no kind Kustomization.
    assert not {"kustomization.yaml", "kustomization.yml"} & {path.name for path in folder.iterdir()}


def frontend():
    return manifests.world().find("Deployment", "scalability-tester-frontend", "monitoring").data


def service_monitor():
    return manifests.world().find("ServiceMonitor", "scalability-tester-frontend", "monitoring").data


def scaled_object():
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "a"},
        "spec": {
            "scaleTargetRef": {"name": "a"},
            "triggers": [{"type": "prometheus", "metadata": {"query": "up"}}],
        },
    }


CONTAINER = ("spec", "template", "spec", "containers", 0)
BROKEN = {
    "unknown field": (frontend, put(1, "spec", "replica"), "replica"),
    "unknown field, deep": (frontend, put(True, *CONTAINER, "securityContext", "readOnlyRootFileSystem"), "readOnly"),
    "unknown field of metadata": (frontend, put("a", "metadata", "lables"), "lables"),
    "unknown field of a custom resource": (service_monitor, put("a", "spec", "endpoint"), "endpoint"),
    "unknown field of its metadata": (service_monitor, put("a", "metadata", "lables"), "lables"),
    "unknown field of KEDA": (scaled_object, put(1, "spec", "minReplicas"), "minReplicas"),
    "text for a number": (frontend, put("1", "spec", "replicas"), "spec.replicas"),
    "number for a text": (frontend, put([0.5], *CONTAINER, "args"), "args.0"),
    "object for a list": (frontend, put({}, *CONTAINER, "ports"), "ports"),
    "truth for an integer-or-text": (frontend, put(True, *CONTAINER, "livenessProbe", "httpGet", "port"), "port"),
    "number for a text of a custom resource": (service_monitor, put(5, "spec", "endpoints", 0, "interval"), "interval"),
    "number for a label": (frontend, put(1, "metadata", "labels", "app.kubernetes.io/version"), "version"),
    "nothing": (frontend, put(None, "spec", "template"), "spec.template"),
    "missing selector": (frontend, drop("spec", "selector"), "'selector' is a required"),
    "missing name of a container": (frontend, drop(*CONTAINER, "name"), "'name' is a required"),
    "missing triggers": (scaled_object, drop("spec", "triggers"), "'triggers' is a required"),
    "unknown kind": (frontend, put("Deploiment", "kind"), "no such kind"),
    "unknown version": (frontend, put("apps/v2", "apiVersion"), "no such kind"),
}


@pytest.mark.parametrize("make, change, complaint", BROKEN.values(), ids=BROKEN.keys())
def test_checker_refuses(checker, make, change, complaint):
    good = make()
    assert checker.errors(good) == []
    broken = copy.deepcopy(good)
    change(broken)
    errors = checker.errors(broken)
    assert len(errors) == 1 and complaint in errors[0], errors


def test_key_that_is_there_twice_is_refused():
    with pytest.raises(manifests.yaml.YAMLError, match="'a' is there twice"):
        manifests.parse("a: 1\nb: 2\na: 3\n")
