"""kubectl for a cluster of local processes: as much of it as the scripts of the project use.

CLUSTER_BREAK  a call that matches this pattern fails
Every call is a line in $CLUSTER/calls.
"""

import argparse
import base64
import fnmatch
import json
import os
import re
import sys
import time
from pathlib import Path

import pods
from cluster import APIS, FOLDER, WITHOUT_NAMESPACE, NotFound, opened

KINDS = {
    "apiservices": "APIService",
    "clusterrolebindings": "ClusterRoleBinding",
    "clusterroles": "ClusterRole",
    "clusters.postgresql.cnpg.io": "Cluster",
    "configmaps": "ConfigMap",
    "cronjobs": "CronJob",
    "daemonsets": "DaemonSet",
    "deployments": "Deployment",
    "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "ingresses": "Ingress",
    "jobs": "Job",
    "namespaces": "Namespace",
    "networkpolicies": "NetworkPolicy",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "persistentvolumes": "PersistentVolume",
    "poddisruptionbudgets": "PodDisruptionBudget",
    "rolebindings": "RoleBinding",
    "roles": "Role",
    "scaledobjects.keda.sh": "ScaledObject",
    "serviceaccounts": "ServiceAccount",
    "servicemonitors.monitoring.coreos.com": "ServiceMonitor",
    "secrets": "Secret",
    "services": "Service",
    "statefulsets": "StatefulSet",
    "validatingadmissionpolicies": "ValidatingAdmissionPolicy",
    "validatingadmissionpolicybindings": "ValidatingAdmissionPolicyBinding",
    "workerpools.twofold.dev": "WorkerPool",
}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="kubectl")
    parser.add_argument("words", nargs="+")
    parser.add_argument("-n", dest="namespace", default="default")
    parser.add_argument("-A", dest="everywhere", action="store_true")
    parser.add_argument("-l", dest="selector", default="")
    parser.add_argument("-o", dest="output", default="")
    parser.add_argument("-f", dest="file")
    parser.add_argument("-c", dest="container")
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--timeout", type=lambda text: int(text.removesuffix("s")))
    parser.add_argument("--tail", type=int)
    parser.add_argument("--raw")
    parser.add_argument("--previous", action="store_true")
    parser.add_argument("--ignore-not-found", action="store_true")
    parser.add_argument("--cascade")
    parser.add_argument("--field-selector")
    parser.add_argument("--sort-by")
    parser.add_argument("--for", dest="condition")
    parser.add_argument("--from-file", action="append", default=[])
    parser.add_argument("--dry-run")
    parser.add_argument("--server-side", action="store_true")
    parser.add_argument("--force-conflicts", action="store_true")
    return parser.parse_intermixed_args(arguments)


def selector(options):
    """By key; "key!" is one that must not have the value."""
    return dict(pair.split("=") for pair in options.selector.split(",") if pair)


def until(condition, options):
    """Looks at the cluster until the condition holds or time is over."""
    end = time.monotonic() + options.timeout
    while True:
        with opened() as cluster:
            if condition(cluster):
                return
        if time.monotonic() > end:
            sys.exit("error: timed out waiting for the condition")
        time.sleep(0.05)


# ---- verbs


def api_versions(_):
    print("\n".join(APIS))


def things(path):
    import yaml  # takes longer than all the rest, and is needed here only

    for file in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
        yield from filter(None, yaml.load_all(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def apply(options):
    failed = False
    with opened() as cluster:
        for thing in things(Path(options.file)):
            name = f"{thing['kind'].lower()}/{thing['metadata']['name']}"
            try:
                print(name, "created" if cluster.put(thing) else "configured")
            except NotFound as error:
                print(f"error when creating {name}: {error}", file=sys.stderr)
                failed = True
    return failed


def create(options):
    """`create secret generic NAME --from-file=KEY=FILE --dry-run=client -o yaml`."""
    pairs = (pair.split("=", 1) for pair in options.from_file)
    data = {key: base64.b64encode(Path(file).read_bytes()).decode() for key, file in pairs}
    meta = {"name": options.words[3], "namespace": options.namespace}
    print(json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data}))


def delete(options):
    gone = []
    for plural in options.words[1].split(","):
        kind = KINDS[plural]
        if "." in plural and not any(api.startswith(plural.partition(".")[2] + "/") for api in APIS):
            sys.exit(f"error: the server doesn't have a resource type {plural!r}")
        namespace = "" if kind in WITHOUT_NAMESPACE else options.namespace
        with opened() as cluster:
            named = [f"{kind}/{namespace}/{name}" for name in options.words[2:]]
            for key in named or cluster.select(kind, namespace, selector(options)):
                del cluster.objects[key]
                gone.append(key)
                print(key, "deleted")
    until(lambda cluster: not any(p["owner"] in gone for p in cluster.state["pods"]), options)


def rollout(options):
    kind, name = options.words[2].split("/")

    def complete(cluster):
        deployment = cluster.get(KINDS[f"{kind}s"], options.namespace, name)
        here = cluster.pods_of(options.namespace, deployment["spec"]["selector"]["matchLabels"])
        return [pods.ready(pod) for pod in here] == [True] * deployment["spec"]["replicas"]

    until(complete, options)
    print(f'{kind} "{name}" successfully rolled out')


def wait(options):
    """`wait --for=condition=Ready`, of what has no pods here: Ready as soon as it is there."""
    kind, name = options.words[1].split("/")
    with opened() as cluster:
        cluster.get(KINDS[kind], options.namespace, name)
    print(f"{kind}/{name} condition met")


def scale(options):
    with opened() as cluster:
        deployment = cluster.get("Deployment", options.namespace, options.words[2])
        deployment["spec"]["replicas"] = options.replicas


def logs(options):
    with opened() as cluster:
        pod = next(p for p in cluster.state["pods"] if p["name"] == options.words[1])
        log = Path(pod["log"])
    if options.previous:
        log = log.with_suffix(".previous")
    print("\n".join(log.read_text().splitlines()[-options.tail :]))


# ---- get


def get(options):
    if options.raw:
        return get_raw(options.raw)
    what = options.words[1]
    with opened() as cluster:
        if what in LISTS:
            print("\n".join(LISTS[what](cluster, options)))
        else:
            thing = cluster.get(KINDS[what + "s"], options.namespace, options.words[2])
            if "matchLabels" in options.output:
                labels = thing["spec"]["selector"]["matchLabels"]
                print("".join(f"{key}={value}," for key, value in labels.items()), end="")
            elif "range $key, $value := .data" in options.output:
                print("".join(f"{key} {value}\n" for key, value in sorted(thing["data"].items())), end="")
            elif ".data" in options.output:
                print(*(thing["data"].get(key, "") for key in re.findall(r'index .data "(.*?)"', options.output)), sep="\n")
            else:
                print(thing["metadata"]["name"])


def get_raw(path):
    namespace, _, service, _, rest = path.removeprefix("/api/v1/namespaces/").split("/", 4)
    name, _, port = service.partition(":")
    with opened() as cluster:
        pod, target = cluster.behind(namespace, name, int(port))
    print(pods.fetch(pod, target, "/" + rest), end="")


def list_pods(cluster, options):
    here = cluster.pods_of(options.namespace, selector(options))
    if "deletionTimestamp}}{{range" in options.output:
        return [f"{p['name']} {p['ending']} {p['restarts']}" for p in here]
    if "restartCount" in options.output:
        return [f"{p['name']} -c {p['container']['name']}" for p in here if p["restarts"]]
    if "phase" in options.output:
        return [f"{p['name']} {pods.phase(p)} {condition(p)} {pods.reason(p)}" for p in here]
    return [f"{p['name']} {pods.status(p)} {p['restarts']} {p['ip']}" for p in here]


def condition(pod):
    return "terminating" if pod["ending"] else str(pods.ready(pod))


def list_events(cluster, options):
    reasons = {"Pending": "FailedScheduling", "CrashLoopBackOff": "BackOff"}
    return [
        f"Warning {reasons[pods.status(p)]} pod/{p['name']}"
        for p in cluster.pods_of(options.namespace, {})
        if pods.status(p) in reasons
    ]


def list_namespaces(cluster, _):
    return [f"namespace/{key.split('/')[2]}" for key in cluster.select("Namespace", "", {})]


def of_all_namespaces(kind):
    def keys(cluster, options):
        spaces = {key.split("/")[1] for key in cluster.objects}
        return [key for space in spaces for key in cluster.select(kind, space, selector(options))]

    return keys


def list_volumes(cluster, options):
    claims = {t["spec"].get("volumeName"): t for t in cluster.objects.values() if t["kind"] == "PersistentVolumeClaim"}
    names = [key.split("/")[2] for key in cluster.select("PersistentVolume", "", selector(options))]
    return [f"{name} {claims[name]['metadata']['namespace'] if name in claims else ''}" for name in names]


def list_api_services(cluster, options):
    keys = cluster.select("APIService", "", selector(options))
    return [f"{key.split('/')[2]} {cluster.objects[key]['spec']['service']['namespace']}" for key in keys]


def list_policies(cluster, options):
    return cluster.select("ValidatingAdmissionPolicy", "", selector(options))


LISTS = {
    "apiservices": list_api_services,
    "events": list_events,
    "namespaces": list_namespaces,
    "persistentvolumes": list_volumes,
    "pods": list_pods,
    "rolebindings": of_all_namespaces("RoleBinding"),
    "validatingadmissionpolicies": list_policies,
    "workerpools.twofold.dev": of_all_namespaces("WorkerPool"),
}
VERBS = {
    "api-versions": api_versions,
    "apply": apply,
    "create": create,
    "delete": delete,
    "get": get,
    "logs": logs,
    "rollout": rollout,
    "scale": scale,
    "wait": wait,
}


def main(arguments):
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "calls").open("a") as calls:
        print(*arguments, file=calls)
    if fnmatch.fnmatch(" ".join(arguments), f"*{os.environ.get('CLUSTER_BREAK', 'nothing at all')}*"):
        sys.exit("error: broken on purpose")
    options = parse(arguments)
    try:
        return VERBS[options.words[0]](options)
    except (NotFound, OSError) as error:
        sys.exit(f"Error from server (NotFound): {error}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
