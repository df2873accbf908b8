#!/usr/bin/python3
"""Writes the templates of the Helm chart that say what deployments/ says.

Usage: chart-templates.py DEPLOYMENTS CONFIGURED OUTPUT

Kustomize makes the objects of each part once for every setting of the part's switches, such as security.enabled. A line
that not all settings have stands in an `if`. CONFIGURED is the component of deployments-config.sh that puts the names
below in all places where a registry or a namespace belongs; what else values can say is in `Marks`.
"""

import difflib
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

# The names that make-chart.sh gives deployments-config.sh, and what templates have in their place.
NAMES = [
    (re.compile(r"\bregistry\.invalid/([a-z-]+)[:@][^\s'\"]+"), r'{{ include "twofold.image" (list $ "\1") }}'),
    (re.compile(r"(?<=: )chart-frontend$", re.M), "{{ $.Release.Namespace | quote }}"),
    (re.compile(r"(?<=: )chart-clients$", re.M), '{{ include "twofold.clients" $ | quote }}'),
    (re.compile("chart-frontend"), "{{ $.Release.Namespace }}"),
    (re.compile("chart-clients"), '{{ include "twofold.clients" $ }}'),
    (re.compile(r"imagePullPolicy: IfNotPresent$", re.M), "imagePullPolicy: {{ $.Values.images.pullPolicy }}"),
]

# A switch: when it is on, and the component of deployments/ that it is.
SECURE = ("$.Values.security.enabled", "security/enable")
CLUSTER = ("(gt (int $.Values.frontend.replicas) 1)", "frontend/cluster")
STORE = ("(and $.Values.frontend.store.enabled (le (int $.Values.frontend.replicas) 1))", "frontend/store")
EVERY_NODE = ("$workers.everyNode", "object-queue/every-node")
POOL = ("$workers.pool", "components/worker-pool")
METRICS_API = ("(or $.Values.metricsApi.external $.Values.metricsApi.custom)", "frontend/metrics-api")
APART = [{CLUSTER, STORE}, {EVERY_NODE, POOL}]  # are never on together

# Parts that are not queues: a file each, when its objects are there, the folders of deployments/, and its switches.
PARTS = [
    ("frontend", None, ["frontend/service", "frontend"], [CLUSTER, STORE, METRICS_API, SECURE]),
    ("scaling-external", "$.Values.metricsApi.external", ["sleep-queue/scaling-own/external"], [POOL]),
    ("scaling-custom", "$.Values.metricsApi.custom", ["sleep-queue/scaling-own/custom"], [POOL]),
    ("database-postgresql", '(eq $.Values.database.kind "postgresql")', ["database/postgresql"], []),
    ("database-cloudnative-pg", '(eq $.Values.database.kind "cloudnative-pg")', ["database/cloudnative-pg"], []),
    ("policies", "$.Values.security.enabled", ["security/policies"], []),
    ("certificates", '(and $.Values.security.enabled (eq $.Values.security.certificates "cert-manager"))',
     ["security/cert-manager"], []),
    ("operator", "$.Values.operator.enabled", ["benchmark-operator"], [SECURE]),
    ("operator-measurements", "(and $.Values.operator.enabled $.Values.operator.measurements)", ["benchmark-operator/measurements"], []),
    ("operator-perftest", "(and $.Values.operator.enabled $.Values.operator.perftest)", ["benchmark-operator/perftest"], []),
    ("operator-pools", "(and $.Values.operator.enabled $.Values.operator.workerPools)", ["benchmark-operator/pools"], []),
    ("operator-frontends", "$.Values.operator.frontends", ["benchmark-operator/frontends"], []),
    ("operator-own-workers", "(and $.Values.operator.enabled $.Values.operator.ownWorkers)", ["benchmark-operator/own-workers"], []),
    ("operator-perftest-workers", "(and $.Values.operator.enabled $.Values.operator.perftestWorkers)",
     ["benchmark-operator/perftest-workers"], [SECURE], "{{- $workers := dict }}\n"),  # templates of no queue of the values
    ("operator-policy", "$.Values.operator.policy", ["benchmark-operator/policy"], []),
    ("crds", "$.Values.crds.install", ["benchmark-operator/crds"], []),
    ("crds-perftest", "(and $.Values.crds.install $.Values.operator.perftest)", ["benchmark-operator/perftest-crds"], []),
]
# What a queue has beside its own folder.
MORE_OF_QUEUE = {"object": ([], [EVERY_NODE, POOL]), "lifecycle": (["lifecycle/rights"], [POOL]), "fio": ([], [])}

# Objects of a part that have a condition of their own: the first row that fits an object's kind, and its component or name.
CONDITIONS = [
    ("ServiceMonitor", ".*", "$.Values.serviceMonitor.enabled"),
    (".*", "viewer", "$.Values.viewer.enabled"),
    ("RoleBinding", "lifecycle", "$.Values.workers.lifecycle.enabled"),  # of measurements, too
    ("Ingress", "client", "$workers.clientHost"),
    ("WorkerPool", ".*", '(include "twofold.knows" (list $ "WorkerPool"))'),
    ("ValidatingAdmissionPolicy(Binding)?", "scalability-tester-(perftest-)?pods", '(include "twofold.knowsPolicies" $)'),
    ("Deployment|Service", "client", "$workers.client"),
]
# What outlives the release: objects of users, and their data.
KEPT = {"CustomResourceDefinition", "PersistentVolumeClaim", "Cluster"}

VALUES_OF = {"frontend": "$.Values.frontend", "backend": "$workers", "operator": "$.Values.operator", "database": "$.Values.database"}
POD_TEMPLATES = {"Deployment", "StatefulSet", "DaemonSet", "WorkerPool"}
# One frontend, one database of its own and one load client are one.
SCALED = {("Deployment", "backend"), ("StatefulSet", "backend"), ("WorkerPool", "backend"), ("Deployment", "operator"),
          ("StatefulSet", "frontend")}


# Of C, where it is there: definitions are long.
LOADER, DUMPER = (getattr(yaml, f"C{name}", getattr(yaml, name)) for name in ("SafeLoader", "SafeDumper"))


def dump(data):
    return yaml.dump(data, Dumper=DUMPER, sort_keys=False, width=10**6).rstrip("\n").split("\n")


class Marks:
    """Stands for lines of templates in an object: written as one word each, which `expand` replaces."""

    LINE = re.compile(r"^( *)(?:- |[\w./-]+: )?'?@(\d+)@'?(?:: null)?$")

    def __init__(self):
        self._snippets = []

    def mark(self, lines):
        if lines not in self._snippets:
            self._snippets.append(lines)
        return f"@{self._snippets.index(lines)}@"

    def given(self, owner, key, value, test=None, unless=None):
        """`key` of `owner` is `value` of the chart where that is given, else what the manifest says, if anything, and not `unless`."""
        # At the end: the first key of an item of a list has the dash in its line.
        said = ["{{- else }}", *guarded(unless and f"(not {unless})", dump({key: owner.pop(key)}))] if key in owner else []
        owner[key] = self.mark([f"{{{{- if {test or value} }}}}", f"{key}: {{{{ toJson {value} }}}}", *said, "{{- end }}"])

    def number(self, owner, key, value, unless=None):
        """The same, where 0 is a value."""
        self.given(owner, key, value, f'not (kindIs "invalid" {value})', unless)

    def entries(self, value):
        """The list `value`, as an item of another list."""
        return self.mark([f"{{{{- range {value} }}}}", "- {{ toJson . }}", "{{- end }}"])

    def labels(self, owner, value):
        owner[self.mark([f"{{{{- range $label, $text := {value} }}}}", "{{ $label }}: {{ toJson $text }}", "{{- end }}"])] = None

    def expand(self, lines):
        for line in lines:
            found = self.LINE.match(line)
            if not found:
                yield line
                continue
            for text in self._snippets[int(found[2])]:
                yield found[1] + text


def component_of(data):
    return data["metadata"].get("labels", {}).get("app.kubernetes.io/component", "")


def claim(marks, spec, values):
    """The volume that a claim asks for."""
    marks.given(spec["resources"]["requests"], "storage", f"{values}.size")
    marks.given(spec, "storageClassName", f"{values}.storageClassName")


def label_of_claim(container, values):
    """What workers with a volume say of it, which benchmarks ask for."""
    for entry in container.get("env", []):
        if "volumeClaimTemplate." in entry.get("value", ""):
            entry["value"] = re.sub(r"(?<=requests\.storage=)(\w+)", rf"{{{{ {values}.size | default `\1` }}}}", entry["value"])
            entry["value"] += (f"{{{{ with {values}.storageClassName }}}}"
                               ",volumeClaimTemplate.storageClassName={{ . }}{{ end }}")


def token_of_operator(pod_spec):
    """An admin's where it drains workers (docs/scaling-workers.md, Rights)."""
    for volume in pod_spec.get("volumes", []):
        if volume["name"] == "token":
            volume["secret"]["secretName"] = ("scalability-tester-{{ if $.Values.operator.workerPools }}operator"
                                              "{{ else }}benchmarks{{ end }}-token")


def pod(marks, template, values):
    spec = template["spec"]
    container = spec["containers"][0]
    if "imagePullSecrets" in spec:
        del spec["imagePullSecrets"]
        marks.given(spec, "imagePullSecrets", "$.Values.images.pullSecrets")
    if values is None:
        return
    for key in ("nodeSelector", "tolerations", "affinity"):
        marks.given(spec, key, f"{values}.{key}")
    marks.given(container, "resources", f"{values}.resources")
    if "args" in container:
        container["args"].insert(0, marks.entries(f"{values}.arguments"))
    label_of_claim(container, values)


def workload(marks, data, component):
    values = VALUES_OF.get(component)
    spec = data["spec"]
    pod(marks, spec["template"], values)
    if (data["kind"], component) in SCALED:
        marks.number(spec, "replicas", f"{values}.replicas", "$workers.maxReplicas" if component == "backend" else None)
    for template in spec.get("volumeClaimTemplates", []):
        claim(marks, template["spec"], values)
    container = spec["template"]["spec"]["containers"][0]
    if component == "backend":
        container["env"].append(marks.entries("$workers.env"))
    if component == "frontend":
        container["args"].append(marks.entries("$.Values.frontend.queues"))  # queues come last
    if component == "operator":
        token_of_operator(spec["template"]["spec"])
        container["args"].append(marks.mark([
            "{{- if $.Values.operator.perftest }}", "- --perftest", "{{- end }}",
            "{{- if $.Values.operator.workerPools }}", "- --worker-pools={{ $.Release.Namespace }}", "{{- end }}",
            "{{- if $.Values.operator.frontends }}", "- --frontends=/etc/twofold/frontends", "{{- end }}",
            "{{- if $.Values.operator.ownWorkers }}", "- --own-workers", "{{- end }}",
            "{{- if $.Values.operator.perftestWorkers }}", "- --perftest-workers={{ $.Release.Namespace }}", "{{- end }}"]))
        container["args"].append(marks.mark([
            "{{- if $.Values.operator.measurements }}", "- --measurements",
            '- --job-image={{ include "twofold.image" (list $ "scalability-tester") }}', "{{- end }}"]))
    if component == "database":
        marks.given(container, "image", "$.Values.database.image")


def marked(marks, data):
    """An object with marks where values of the chart may change it."""
    component = component_of(data)
    if data["kind"] in KEPT:
        data["metadata"].setdefault("annotations", {})["helm.sh/resource-policy"] = "keep"
    if data["kind"] in POD_TEMPLATES:
        workload(marks, data, component)
    if data["kind"] == "PersistentVolumeClaim":
        claim(marks, data["spec"], "$.Values.frontend.store")
    if data["kind"] == "Cluster":
        marks.given(data["spec"]["storage"], "size", "$.Values.database.size")
        for storage in (data["spec"]["storage"], data["spec"]["walStorage"]):
            marks.given(storage, "storageClass", "$.Values.database.storageClassName")
    if data["kind"] == "Ingress":
        marks.given(data["spec"]["rules"][0], "host", "$workers.clientHost")
    if data["kind"] == "HorizontalPodAutoscaler":
        for key in ("minReplicas", "maxReplicas"):
            marks.given(data["spec"], key, f"$workers.{key}")
    if data["kind"] == "ServiceMonitor":
        marks.labels(data["metadata"]["labels"], "$.Values.serviceMonitor.labels")
    return data


# ---- settings of switches


def settings(switches):
    """Each way to set them, as the set of those that are on."""
    for chosen in itertools.product([False, True], repeat=len(switches)):
        on = frozenset(switch for switch, is_on in zip(switches, chosen) if is_on)
        if not any(apart <= on for apart in APART):
            yield on


def condition(those, switches, among=None):
    """When the switches are set in one of the ways `those`, and not in others of `among` (all), as an expression; None: always."""
    ways = set(settings(switches))
    among = ways if among is None else among
    single = [(text, {on for on in ways if (switch in on) is wanted})
              for switch in switches for wanted, text in ((True, switch[0]), (False, f"(not {switch[0]})"))]
    pairs = [(f"({word} {a[0]} {b[0]})", merge(a[1], b[1])) for a, b in itertools.combinations(single, 2)
             for word, merge in (("and", set.intersection), ("or", set.union))]
    for text, holds in [(None, ways), *single, *pairs]:
        if holds & among == those:
            return text
    sys.exit(f"chart-templates.py: no condition for {[[name for _, name in on] for on in those]}")


def merged(texts):
    """The lines of all texts in one list, each text's in its order: [[line, settings that have it]]."""
    rows = []
    for on, lines in texts.items():
        matcher = difflib.SequenceMatcher(None, [line for line, _ in rows], lines, autojunk=False)
        result = []
        for tag, begin, end, new_begin, new_end in matcher.get_opcodes():
            for row in rows[begin:end]:
                if tag == "equal":
                    row[1].add(on)
                result.append(row)
            if tag != "equal":
                result += [[line, {on}] for line in lines[new_begin:new_end]]
        rows = result
    return rows


def guarded(text, lines):
    return [f"{{{{- if {text} }}}}", *lines, "{{- end }}"] if text else lines


def of_each_queue(lines):
    """An HPA of the queue sleep for each queue that has one. It has external metrics where both kinds are there."""
    wanted = "$workers.enabled $workers.maxReplicas"
    if not any("External" in line for line in lines):
        wanted += " (not $.Values.metricsApi.external)"
    lines = [re.sub(r"\bsleep\b", "{{ $queue }}", re.sub("(?<=: )sleep$", "{{ $queue | quote }}", line)) for line in lines]
    return ["{{- range $queue, $workers := $.Values.workers }}", *guarded(f"(and {wanted})", lines), "{{- end }}"]


# ---- files


class Chart:
    def __init__(self, deployments, configured, output):
        self._deployments, self._configured, self._output = deployments, configured, output
        self._marks = Marks()

    def _objects(self, folders, on):
        """What kustomize makes of the folders, by kind and name, in its order."""
        # Names are changed before security/enable, as deployments-apply.sh does it.
        components = [self._deployments / name for _, name in on if name != SECURE[1]] + [self._configured]
        components += [self._deployments / SECURE[1]] if SECURE in on else []
        with tempfile.TemporaryDirectory(dir=self._configured.parent) as overlay:
            paths = [[os.path.relpath(path, overlay) for path in paths]
                     for paths in ([self._deployments / name for name in folders], components)]
            pathlib.Path(overlay, "kustomization.yaml").write_text(yaml.safe_dump({"resources": paths[0], "components": paths[1]}))
            # It ends at once: to collect its memory would be a third of its time.
            done = subprocess.run(["kubectl", "kustomize", overlay], capture_output=True, text=True, check=False,
                                  env={**os.environ, "GOGC": "off"})
        if done.returncode:
            sys.exit(f"chart-templates.py: kustomize does not take {folders}: {done.stderr}")
        if "{{" in done.stdout:
            sys.exit(f"chart-templates.py: braces in {folders} would be taken for a template's")
        objects = yaml.load_all(done.stdout, LOADER)
        return {(data["kind"], data["metadata"]["name"], data["metadata"].get("namespace")): data for data in objects}

    def _templates(self, key, variants, switches):
        """The lines of one object, which some of the variants have."""
        having = {on: objects[key] for on, objects in variants.items() if key in objects}
        component = component_of(next(iter(having.values())))
        rows = merged({on: dump(marked(self._marks, data)) for on, data in having.items()})
        lines = ["---"]
        for those, group in itertools.groupby(rows, key=lambda row: row[1]):
            lines += guarded(condition(those, switches, set(having)), [line for line, _ in group])
        own = next((text for kind, of, text in CONDITIONS
                    if re.fullmatch(kind, key[0]) and any(re.fullmatch(of, name) for name in (component, key[1]))), None)
        lines = guarded(own, guarded(condition(set(having), switches), lines))
        return of_each_queue(lines) if key[0] == "HorizontalPodAutoscaler" else lines

    def write(self, name, when, folders, switches, begin=""):
        """One file of templates."""
        variants = {on: self._objects(folders, sorted(on)) for on in settings(switches)}
        keys = dict.fromkeys(key for objects in variants.values() for key in objects)
        lines = [line for key in keys for line in self._templates(key, variants, switches)]
        text = begin + "".join(f"{line}\n" for line in self._marks.expand(guarded(when, lines)))
        for pattern, replacement in NAMES:
            text = pattern.sub(replacement, text)
        (self._output / f"{name}.yaml").write_text(text)

    def write_all(self):
        for part in PARTS:
            self.write(*part)
        for folder in sorted(self._deployments.glob("*-queue")):
            queue = folder.name.removesuffix("-queue")
            folders, switches = MORE_OF_QUEUE.get(queue, ([], [POOL]))
            values = f'{{{{- $workers := index $.Values.workers "{queue}" | default dict }}}}\n'
            self.write(f"workers-{queue}", "$workers.enabled", [folder.name, *folders], [*switches, SECURE], values)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    Chart(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])).write_all()
