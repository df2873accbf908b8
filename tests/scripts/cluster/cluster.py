"""The cluster behind the kubectl stub: objects in a file, and what controllers make of them.

Its folder is $CLUSTER. Nothing runs between the calls of kubectl: each call first does what the
controllers would have done meanwhile (`settle`). Run as a program it ends all pods.

CLUSTER_ROOM  so many pods find a place, others stay Pending (all)
CLUSTER_APIS  further API versions that are served, e.g. "monitoring.coreos.com/v1"
"""

import base64
import fcntl
import json
import os
import random
import signal
from contextlib import contextmanager
from pathlib import Path

import pods

FOLDER = Path(os.environ["CLUSTER"])
ROOM = int(os.environ.get("CLUSTER_ROOM", 1000))
APIS = [
    "v1", "apps/v1", "autoscaling/v2", "batch/v1", "networking.k8s.io/v1", "policy/v1",
    "rbac.authorization.k8s.io/v1", *os.environ.get("CLUSTER_APIS", "").split(),
]  # fmt: skip
WITHOUT_NAMESPACE = {"APIService", "Namespace", "PersistentVolume", "ClusterRole", "ClusterRoleBinding",
                     "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}


class NotFound(Exception):
    pass


@contextmanager
def opened():
    """The cluster, settled; what is done to it is kept."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "state.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        cluster = Cluster(json.loads(file.read() or "null"))
        cluster.settle()
        try:
            yield cluster
        finally:
            cluster.settle()
            file.truncate(0)
            file.write(json.dumps(cluster.state))  # json.dump would take ten times as long


def matches(labels, selector):
    return all((labels.get(key.rstrip("!")) == value) != key.endswith("!") for key, value in selector.items())


def _secrets(spec):
    """Where the first container has Secrets mounted, and which: a list, as a projected volume has several."""
    named = {v["name"]: [v["secret"]] for v in spec.get("volumes", []) if "secret" in v}
    for volume in spec.get("volumes", []):
        if "projected" in volume:
            sources = [source["secret"] for source in volume["projected"]["sources"]]
            named[volume["name"]] = [{**source, "secretName": source["name"]} for source in sources]
    mounts = spec["containers"][0].get("volumeMounts", [])
    return {mount["mountPath"]: named[mount["name"]] for mount in mounts if mount["name"] in named}


class Cluster:
    def __init__(self, state):
        net = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}"
        self.state = state or {"objects": {}, "pods": [], "born": 0, "net": net}
        self.objects = self.state["objects"]

    # ---- objects

    def put(self, thing):
        """Keeps an object as `kubectl apply` does. Returns whether it is new."""
        kind, meta = thing["kind"], thing["metadata"]
        if thing["apiVersion"] not in APIS:
            raise NotFound(f'no matches for kind "{kind}" in version "{thing["apiVersion"]}"')
        namespace = "" if kind in WITHOUT_NAMESPACE else meta.get("namespace", "default")
        if namespace and f"Namespace//{namespace}" not in self.objects:
            raise NotFound(f'namespaces "{namespace}" not found')
        key = f"{kind}/{namespace}/{meta['name']}"
        before = self.objects.get(key)
        if kind in ("Deployment", "StatefulSet"):  # what was scaled stays so, unless the manifest says otherwise
            kept = before["spec"]["replicas"] if before else 1
            thing["spec"].setdefault("replicas", kept)
        self.objects[key] = thing
        if kind == "Cluster":
            self._make_secrets_of_database(key, meta["name"], namespace)
        return before is None

    def _make_secrets_of_database(self, owner, name, namespace):
        """As CloudNativePG does; there are no servers. They go with their owner."""
        url = f"postgresql://twofold:secret@{name}-rw.{namespace}:5432/twofold"
        for suffix, key, text in (("app", "uri", url), ("ca", "ca.crt", "none")):
            meta = {"name": f"{name}-{suffix}", "namespace": namespace}
            data = {key: base64.b64encode(text.encode()).decode()}
            self.objects[f"Secret/{namespace}/{meta['name']}"] = {"kind": "Secret", "metadata": meta, "data": data, "owner": owner}

    def get(self, kind, namespace, name):
        try:
            return self.objects[f"{kind}/{namespace}/{name}"]
        except KeyError:
            raise NotFound(f'{kind.lower()}s "{name}" not found') from None

    def select(self, kind, namespace, selector):
        return [
            key
            for key, thing in self.objects.items()
            if key.startswith(f"{kind}/{namespace}/")
            and matches(thing["metadata"].get("labels", {}), selector)
        ]

    # ---- controllers

    def settle(self):
        for key in [key for key, thing in self.objects.items() if thing.get("owner", key) not in self.objects]:
            del self.objects[key]
        for key, deployment in self.objects.items():
            if key.startswith(("Deployment/", "StatefulSet/")):
                self._replicate(key, deployment)
        for pod in self.state["pods"]:
            if pod["owner"] not in self.objects and not pod["ending"]:
                pods.end(pod)
            self._place(pod)
            pods.look_after(
                pod,
                lambda host, port: self._resolve(pod["namespace"], host, port),
                lambda name: self.objects.get(f"Secret/{pod['namespace']}/{name}", {}).get("data"),
            )
        self.state["pods"][:] = [p for p in self.state["pods"] if not p["ending"] or pods.running(p)]

    def _replicate(self, key, deployment):
        here = [p for p in self.state["pods"] if p["owner"] == key and not p["ending"]]
        wanted = deployment["spec"]["replicas"]
        for pod in here[wanted:]:  # the newest go
            pods.end(pod)
        for _ in range(wanted - len(here)):
            self.state["pods"].append(self._new_pod(key, deployment))

    def _new_pod(self, key, deployment):
        self.state["born"] += 1
        name = f"{deployment['metadata']['name']}-{self.state['born']}"
        template = deployment["spec"]["template"]
        return {
            "name": name,
            "namespace": deployment["metadata"]["namespace"],
            "owner": key,
            "labels": template["metadata"]["labels"],
            "container": template["spec"]["containers"][0],
            "secrets": _secrets(template["spec"]),
            "ip": f"{self.state['net']}.{self.state['born']}",
            "log": str(FOLDER / f"{name}.log"),
            "placed": False,
            "ending": False,
            "restarts": 0,
            "pid": None,
        }

    def _place(self, pod):
        if sum(p["placed"] for p in self.state["pods"]) < ROOM:
            pod["placed"] = True

    def pods_of(self, namespace, selector):
        return [
            p
            for p in self.state["pods"]
            if p["namespace"] == namespace and matches(p["labels"], selector)
        ]

    # ---- network

    def behind(self, namespace, name, port):
        """A pod behind a service, and the port there."""
        spec = self.get("Service", namespace, name)["spec"]
        targets = [
            p.get("targetPort", p["port"]) for p in spec["ports"] if port in (p["port"], p["name"])
        ]
        here = [p for p in self.pods_of(namespace, spec["selector"]) if pods.running(p)]
        if not targets or not here:
            raise NotFound(f"no endpoints available for service {name}:{port}")
        return here[0], targets[0]

    def _resolve(self, namespace, host, port):
        """What DNS and the service make of NAME or NAME.NAMESPACE; None if there is no such name."""
        name, _, other = host.partition(".")
        try:
            pod, target = self.behind(other or namespace, name, port)
        except NotFound:
            return None
        return f"{pod['ip']}:{pods.port(pod, target)}"


if __name__ == "__main__":
    for state in FOLDER.glob("state.json"):
        for left in json.loads(state.read_text())["pods"]:
            pods.send(left, signal.SIGKILL)
