"""The manifests in deployments/, as objects and as pods."""

import dataclasses
import functools
import pathlib
import pickle
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOYMENTS = ROOT / "deployments"
# What deployments-config.sh writes for one cluster is not part of the project.
NOT_OURS = DEPLOYMENTS / "configured"

# Where a kind keeps its pod template.
TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "WorkerPool": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
CLUSTER_KINDS = {"APIService", "Namespace", "PersistentVolume", "ClusterRole", "ClusterRoleBinding",
                 "CustomResourceDefinition", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}


class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses a key that is there twice, as the API server does."""


def _mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(None, None, f"'{key}' is there twice", node.start_mark)
    return loader.construct_mapping(node, deep=True)


StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def parse(text):
    return [data for data in yaml.load_all(text, StrictLoader) if data is not None]


def dig(data, *keys, default=None):
    for key in keys:
        if not isinstance(data, dict) or key not in data:
            return default
        data = data[key]
    return data


@dataclasses.dataclass
class Manifest:
    source: str  # file, relative to deployments/
    data: dict

    @property
    def kind(self):
        return self.data.get("kind", "?")

    @property
    def name(self):
        return dig(self.data, "metadata", "name", default="?")

    @property
    def namespace(self):
        if self.kind in CLUSTER_KINDS:
            return None
        return dig(self.data, "metadata", "namespace")

    @property
    def labels(self):
        return dig(self.data, "metadata", "labels", default={})

    def __str__(self):
        return f"{self.source}:{self.kind}/{self.name}"


class Pod:
    """A pod template, with the namespace that its pods will be in."""

    def __init__(self, manifest):
        self.manifest = manifest
        self.template = dig(manifest.data, *TEMPLATES[manifest.kind])
        self.spec = self.template["spec"]

    @property
    def namespace(self):
        return self.manifest.namespace

    @property
    def labels(self):
        return dig(self.template, "metadata", "labels", default={})

    @property
    def annotations(self):
        return dig(self.template, "metadata", "annotations", default={})

    @property
    def component(self):
        return self.labels.get("app.kubernetes.io/component")

    @property
    def instance(self):
        return self.labels.get("app.kubernetes.io/instance")

    @property
    def containers(self):
        return [Container(self, data) for data in self.spec["containers"]]

    @property
    def all_containers(self):
        return [Container(self, data) for data in self.spec.get("initContainers", [])] + self.containers

    def ports(self):
        return {port["name"]: port["containerPort"] for c in self.containers for port in c.data.get("ports", [])}

    def __str__(self):
        return str(self.manifest)


class Container:
    def __init__(self, pod, data):
        self.pod = pod
        self.data = data
        self.name = data["name"]
        self.args = data.get("args", [])
        self.program = pathlib.PurePosixPath(data["command"][0]).name if data.get("command") else None

    @property
    def is_ours(self):
        return (self.program or "").startswith("twofold-")

    @property
    def own_args(self):
        """The arguments before `--`: those of the program, not of its workload."""
        return self.args[: self.args.index("--")] if "--" in self.args else self.args

    @property
    def options(self):
        """--name=value as a dictionary; flags have the value ''."""
        pairs = (arg[2:].partition("=") for arg in self.own_args if arg.startswith("--"))
        return {name: value for name, _, value in pairs}

    def environment(self):
        """Its variables: values with $(OTHER) in them as the kubelet expands them; annotations of the pod."""
        variables = {}
        for entry in self.data.get("env", []):
            field = dig(entry, "valueFrom", "fieldRef", "fieldPath", default="")
            annotation = field.removeprefix("metadata.annotations['").removesuffix("']")
            value = entry.get("value") or self.pod.annotations.get(annotation, "some-name")
            variables[entry["name"]] = expanded(value, variables)
        return variables

    @property
    def expanded_args(self):
        variables = self.environment()
        return [expanded(arg, variables) for arg in self.args]

    @property
    def positionals(self):
        return [arg for arg in self.own_args if not arg.startswith("-")]

    @property
    def workload(self):
        return self.args[self.args.index("--") + 1 :] if "--" in self.args else []

    def __str__(self):
        return f"{self.pod}:{self.name}"


class World:
    """All manifests, and how they find one another."""

    def __init__(self, manifests):
        self.manifests = manifests
        self.pods = [Pod(m) for m in manifests if m.kind in TEMPLATES]

    def find(self, kind, name, namespace=None):
        return next((m for m in self.manifests if (m.kind, m.name, m.namespace) == (kind, name, namespace)), None)

    def select_pods(self, selector, namespace=None):
        """The pods that a selector finds, in one namespace or (None) in all."""
        return [p for p in self.pods if namespace in (None, p.namespace) and matches(selector, p.labels)]

    def queues(self):
        """What the frontends serve."""
        frontends = [c for p in self.pods for c in p.containers if c.program == "twofold-frontend"]
        return {queue for c in frontends for queue in c.positionals}


def expanded(text, variables):
    """What Kubernetes makes of $(NAME)."""
    return re.sub(r"\$\((\w+)\)", lambda name: variables.get(name[1], name[0]), text)


def matches(selector, labels):
    if selector.get("matchExpressions"):
        raise NotImplementedError("matchExpressions: teach this function about them")
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())


def _ours(pattern):
    return sorted(path for path in DEPLOYMENTS.rglob(pattern) if NOT_OURS not in path.parents)


def files():
    return [path for pattern in ("*.yaml", "*.yml", "*.json") for path in _ours(pattern)]


def kustomizations():
    return [path.parent for path in _ours("Kustomization")]


def relative(path):
    return str(path.relative_to(DEPLOYMENTS))


def load(path):
    return [Manifest(relative(path), data) for data in parse(path.read_text())]


@functools.cache
def _all():
    """The manifests of all files, as bytes: to parse the text takes thirty times as long."""
    return pickle.dumps([manifest for path in files() for manifest in load(path)])


def world():
    """A new copy each time: tests of the rules break things in it."""
    return World(pickle.loads(_all()))
