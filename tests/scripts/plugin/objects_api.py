"""An API server whose objects are files, for what the plugin of kubectl asks: get and list.

objects_api.py KUBECONFIG FOLDER: writes the file that leads to it, and serves until it is ended. FOLDER has objects as
NAME.json, in `forbidden` the plurals that one may not see, with NAMESPACE/ before them if only there, and in `without` those
that the cluster does not have. Where $CLUSTER is, its objects and all that its API server does are there as well.
"""

import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.append(str(Path(__file__).resolve().parents[2] / "fakes"))

sys.path.append(str(Path(__file__).resolve().parent.parent / "cluster"))

from small_kube_api import Forbidden, Missing, serve

if "CLUSTER" in os.environ:
    import api as processes

FOLDER = Path(sys.argv[2])
KINDS = {  # path of the API: plural: kind, whether it is in namespaces
    "/api/v1": {"namespaces": ("Namespace", False), "secrets": ("Secret", True), "services": ("Service", True)},
    "/apis/twofold.dev/v1alpha1": {"benchmarks": ("Benchmark", True), **{
        f"{kind.lower()}s": (kind, True) for kind in ("Validation", "LoadTest", "LifecycleTest", "WorkerPool")}},
    "/apis/perftest.stackhpc.com/v1alpha1": {"iperfs": ("IPerf", True)},
}
WHAT = re.compile(r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+)(?=/))?/([a-z]+)(?:/([^/]+))?")


def served():
    gone = words_of("without")
    return {path: {plural: kind for plural, kind in kinds.items() if plural not in gone} for path, kinds in KINDS.items()}


def words_of(name):
    return (FOLDER / name).read_text().split() if (FOLDER / name).exists() else []


def discovery(path):
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        versions = [{"groupVersion": p.removeprefix("/apis/"), "version": p.rpartition("/")[2]} for p in KINDS if p.startswith("/apis/")]
        groups = [{"name": v["groupVersion"].partition("/")[0], "versions": [v], "preferredVersion": v} for v in versions]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    if path not in KINDS:
        return None
    resources = [
        {"name": plural, "singularName": kind.lower(), "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}
        for plural, (kind, namespaced) in served()[path].items()
    ]
    return {"kind": "APIResourceList", "groupVersion": path.split("/", 2)[2], "resources": resources}


def check_rights(plural, namespace):
    if {plural, f"{namespace or '-A'}/{plural}"} & set(words_of("forbidden")):
        raise Forbidden(f'{plural} is forbidden: User "u" cannot list resource "{plural}"')


def fits(thing, namespace, query):
    meta = thing["metadata"]
    labels = dict(pair.split("=") for pair in query.get("labelSelector", [""])[0].split(",") if pair)
    name = query.get("fieldSelector", [f"={meta['name']}"])[0].partition("=")[2]
    return namespace in (None, meta.get("namespace")) and name == meta["name"] and labels.items() <= meta.get("labels", {}).items()


def every_object():
    yield from (json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json")))
    if "CLUSTER" in os.environ:
        with processes.opened() as cluster:
            yield from cluster.objects.values()


def answer(target):
    url = urlsplit(target)
    if found := discovery(url.path):
        return found
    found = WHAT.fullmatch(url.path)
    if not found or found[3] not in served().get(found[1], {}):
        if "CLUSTER" in os.environ:
            return processes.answer(target)
        raise Missing("the server could not find the requested resource")
    path, namespace, plural, name = found.groups()
    check_rights(plural, namespace)
    kind = KINDS[path][plural][0]
    here = [thing for thing in every_object() if thing["kind"] == kind and fits(thing, namespace, parse_qs(url.query))]
    if name is None:
        return {"kind": f"{kind}List", "apiVersion": path.split("/", 2)[2], "metadata": {"resourceVersion": "1"}, "items": here}
    for thing in here:
        if thing["metadata"]["name"] == name:
            return thing
    raise Missing(f'{plural} "{name}" not found')


serve(Path(sys.argv[1]), answer, processes.scale if "CLUSTER" in os.environ else None)
