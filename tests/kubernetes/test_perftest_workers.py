"""Pods for objects of kube-perftest are those of the workers of our queues (deployments/benchmark-operator/perftest-workers)."""

import subprocess

import pytest
import yaml

import manifests
from test_perftest_crds import BENCHMARKS

FOLDER = manifests.DEPLOYMENTS / "benchmark-operator/perftest-workers"


@pytest.fixture(scope="module")
def pools(kubectl):
    done = subprocess.run([kubectl, "kustomize", FOLDER], capture_output=True, text=True, timeout=60, check=True)
    return [data for data in manifests.parse(done.stdout) if data["kind"] == "WorkerPool"]


def pods_of(queue):
    (data,) = [data for data in manifests.parse((manifests.DEPLOYMENTS / f"{queue}-queue/{queue}-backend.yaml").read_text())]
    return data["spec"]["template"]


def option(container, name):
    (value,) = [argument.partition("=")[2] for argument in container["args"] if argument.startswith(f"{name}=")]
    return value


def test_each_kind_has_one(pools):
    kinds = [kind for pool in pools for kind in pool["metadata"]["annotations"]["twofold.dev/kinds"].split(",")]
    assert sorted(kinds) == BENCHMARKS
    assert all(pool["metadata"]["labels"]["twofold.dev/workers-for"] == "perftest" for pool in pools)


def test_they_are_templates_and_have_no_pods(pools):
    assert [pool["spec"]["replicas"] for pool in pools] == [0] * len(pools)


def test_their_queues_are_those_of_the_frontend(pools):
    frontend = yaml.safe_load_all((manifests.DEPLOYMENTS / "frontend/frontend.yaml").read_text())
    (arguments,) = [data["spec"]["template"]["spec"]["containers"][0]["args"] for data in frontend if data["kind"] == "Deployment"]
    assert {pool["spec"]["queue"] for pool in pools} <= set(arguments)


def test_their_pods_are_those_of_the_queue_but_for_the_way_to_the_frontend(pools):
    for pool in pools:
        queue = pool["spec"]["queue"]
        wanted = pods_of(queue)
        container = wanted["spec"]["containers"][0]
        container["args"][0] = "--frontend=scalability-tester-frontend.monitoring:9999"
        if queue == "fio":
            wanted["spec"]["volumes"].append({"name": "scratch", "emptyDir": {}})
            (labels,) = [entry for entry in container["env"] if entry["name"] == "TWOFOLD_LABELS"]
            labels["value"] = "hostNetwork=false,image=$(IMAGE)"
        assert pool["spec"]["template"] == wanted, queue


def test_a_volume_of_fio_is_where_it_works(pools):
    (pod,) = [pool["spec"]["template"]["spec"] for pool in pools if pool["spec"]["queue"] == "fio"]
    (container,) = pod["containers"]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts[option(container, "--work-dir")] == "scratch"
