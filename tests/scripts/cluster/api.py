"""The API server of a cluster of local processes: as much of it as `twofold validate` asks for.

api.py KUBECONFIG: writes the file that leads to it, and serves until it is ended.
"""

import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.append(str(Path(__file__).resolve().parents[2] / "fakes"))

import pods
from cluster import NotFound, opened
from small_kube_api import Missing, serve

LOG = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/log")
OBJECT = re.compile(r"/apis?/(?:apps/)?v1/namespaces/([^/]+)/(deployments|services)/([^/]+)")
PODS = re.compile(r"/api/v1/namespaces/([^/]+)/pods")
PROXY = re.compile(r"/api/v1/namespaces/([^/]+)/services/([^/]+):(\d+)/proxy(/.*)")
KINDS = {"deployments": "Deployment", "services": "Service"}


def as_object(pod):
    """A pod as the API has it."""
    state = {"waiting": {"reason": pods.reason(pod)}} if pods.reason(pod) else {"running": {}}
    meta = {"name": pod["name"], "namespace": pod["namespace"], "labels": pod["labels"]}
    if pod["ending"]:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    status = {
        "phase": pods.phase(pod),
        "conditions": [{"type": "Ready", "status": str(pods.ready(pod))}],
        "containerStatuses": [
            {"name": pod["container"]["name"], "restartCount": pod["restarts"], "state": state}
        ],
    }
    return {"metadata": meta, "status": status}


def log_of(name, query):
    with opened() as cluster:
        log = Path(next(p["log"] for p in cluster.state["pods"] if p["name"] == name))
    lines = (log.with_suffix(".previous") if "previous" in query else log).read_text().splitlines()
    return "\n".join(lines[-int(query["tailLines"][0]) :])


def through(namespace, service, port, path):
    with opened() as cluster:
        pod, target = cluster.behind(namespace, service, int(port))
    return pods.fetch(pod, target, path)


def found_at(target):
    if found := PROXY.fullmatch(target):
        return through(*found.groups())
    url = urlsplit(target)
    query = parse_qs(url.query)
    if found := LOG.fullmatch(url.path):
        return log_of(found[2], query)
    with opened() as cluster:
        if found := OBJECT.fullmatch(url.path):
            return cluster.get(KINDS[found[2]], found[1], found[3])
        if found := PODS.fullmatch(url.path):
            selector = dict(pair.split("=") for pair in query["labelSelector"][0].split(","))
            return {"items": [as_object(p) for p in cluster.pods_of(found[1], selector)]}
    raise Missing(f"no path {url.path}")


def answer(target):
    try:
        return found_at(target)
    except NotFound as error:
        raise Missing(str(error)) from None


def scale(namespace, name, replicas):
    with opened() as cluster:
        cluster.get("Deployment", namespace, name)["spec"]["replicas"] = replicas


if __name__ == "__main__":
    serve(Path(sys.argv[1]), answer, scale)
