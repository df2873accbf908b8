"""What a schema cannot say: that objects fit one another, and what we ask of every pod.

A rule takes a manifest, a pod or a container, and the world; it yields complaints.
"""

import ipaddress
import re
from decimal import Decimal

from manifests import ROOT, TEMPLATES, dig, matches

RECOMMENDED = ["name", "component", "part-of", "version"]
SELECTING = ["name", "component", "instance"]
PROGRAM_OF = {
    "frontend": "twofold-frontend", "backend": "twofold-backend", "client": "twofold-client", "lifecycle": "twofold",
    "operator": "twofold-operator",
}
NAMESPACE_OF = {
    "frontend": "monitoring", "backend": "monitoring", "client": "validation", "lifecycle": "monitoring",
    "database": "monitoring", "operator": "monitoring",
}
# Components that are alone: their name is enough.
ALONE = {"frontend", "database", "operator"}
# Programs and images of others, as they come from there.
OTHERS_IMAGE_OF = {"database": r"postgres:\d+"}
# Also a client: it serves nothing, and has no queue of its own.
WATCH = ["/usr/local/bin/twofold", "watch"]
METRICS_API_PORT = 9443  # deployments/frontend/metrics-api
# Which port of the frontend a program connects to.
FRONTEND_PORT_OF = {
    "twofold-backend": "workers", "twofold-client": "clients", "twofold": "clients", "twofold-operator": "clients",
}
# What measures the cluster's own work calls its API; workloads are created where nothing else is.
API_ACCOUNT = "scalability-tester-lifecycle"
# What runs Benchmarks has an account of its own, and writes these and nothing else.
OPERATOR_ACCOUNT = "scalability-tester-operator"
PERFTEST = ["iperfs", "mpipingpongs", "openfoams", "rdmabandwidths", "rdmalatencies", "fios", "pytorchs", "benchmarksets"]
MEASUREMENTS = ["validations", "loadtests", "lifecycletests"]
OPERATOR_WRITES = {"events", "leases", "jobs", "persistentvolumeclaims", "podgroups", "pods", "workerpools", "workerpools/status"} | {
    name + end for name in ("benchmarks", *MEASUREMENTS, *PERFTEST) for end in ("", "/status")}
WORKLOADS = "workloads"
NAMED_OTHERWISE = ("APIService", "CustomResourceDefinition", "Namespace")
KUBERNETES_OWN = "kube-system"
# Roles that each cluster has, for servers behind the API server.
ROLES_OF_KUBERNETES = {("Role", "extension-apiserver-authentication-reader"), ("ClusterRole", "system:auth-delegator")}
USER = 65532
STANDING = ("Deployment", "StatefulSet", "WorkerPool")


def app(label):
    return f"app.kubernetes.io/{label}"


# ---- any object


def has_recommended_labels(manifest, world):
    if manifest.kind == "Namespace":  # may be older than we are
        return
    for label in RECOMMENDED:
        if app(label) not in manifest.labels:
            yield f"no label {app(label)}"


def has_an_agreed_name(manifest, world):
    # The name of a definition is that of its kind, the one of an APIService its version and group.
    if manifest.kind not in NAMED_OTHERWISE and not manifest.name.startswith("scalability-tester-"):
        yield "the name does not begin with scalability-tester-"
    if manifest.namespace not in (None, KUBERNETES_OWN) and world.find("Namespace", manifest.namespace) is None:
        yield f"there is no namespace {manifest.namespace}"


# ---- objects that find pods


def service_selects_pods_with_its_ports(service, world):
    pods = world.select_pods({"matchLabels": service.data["spec"]["selector"]}, service.namespace)
    if not pods:
        yield "selects no pod"
    for pod in pods:
        for port in service.data["spec"]["ports"]:
            target = port.get("targetPort", port["port"])
            if target not in pod.ports():
                yield f"targetPort {target} is no named port of {pod}"
            elif pod.ports()[target] != port["port"]:
                yield f"port {port['port']} is not {pod.ports()[target]}, the port {target} of {pod}"


def service_is_called_like_its_pods(service, world):
    """Users and scripts know one name for the workload and its service. What names single pods is another one."""
    if service.data["spec"].get("clusterIP") == "None":
        return
    for pod in world.select_pods({"matchLabels": service.data["spec"]["selector"]}, service.namespace):
        if pod.manifest.name != service.name:
            yield f"leads to {pod}"


def monitor_matches_one_service(monitor, world):
    # No namespaceSelector: its own namespace.
    names = dig(monitor.data, "spec", "namespaceSelector", "matchNames", default=[monitor.namespace])
    services = [m for m in world.manifests if m.kind == "Service" and m.namespace in names]
    found = [s for s in services if matches(monitor.data["spec"]["selector"], s.labels)]
    if len(found) != 1:  # by two services each pod would be counted twice
        yield f"selects {len(found)} services"
    for service in found:
        named = {port["name"] for port in service.data["spec"]["ports"]}
        for endpoint in monitor.data["spec"]["endpoints"]:
            if endpoint["port"] not in named:
                yield f"{service} has no port named {endpoint['port']}"


def is_watch(pod):
    return [container.data.get("command") for container in pod.containers] == [WATCH]


def policy_selects_pods_with_its_ports(policy, world):
    pods = world.select_pods(policy.data["spec"]["podSelector"], policy.namespace)
    if not pods:
        yield "selects no pod"
    ingress = policy.data["spec"].get("ingress", [])
    for port in (port["port"] for rule in ingress for port in rule.get("ports", [])):
        yield from (f"port {port} is no named port of {pod}" for pod in pods if port not in pod.ports() and not is_watch(pod))
    for peer in (peer for rule in ingress for peer in rule.get("from", []) if "podSelector" in peer):
        namespace = None if "namespaceSelector" in peer else policy.namespace
        if not world.select_pods(peer["podSelector"], namespace):
            yield f"lets in what does not exist: {peer}"


NAMESPACE_NAME = "kubernetes.io/metadata.name"


def policy_names_the_namespaces_it_lets_in(policy, world):
    """A label of ours is worth nothing in a namespace of somebody else, who can put it on any pod."""
    for rule in policy.data["spec"].get("ingress", []):
        for peer in rule.get("from", []):
            if "namespaceSelector" in peer and set(peer["namespaceSelector"].get("matchLabels", {})) != {NAMESPACE_NAME}:
                yield f"lets in namespaces by {peer['namespaceSelector']}"


def policy_lets_in_who_connects(policy, world):
    """Each of our programs reaches the port of the frontend that it is told to use; policies add up."""
    selected = world.select_pods(policy.data["spec"]["podSelector"], policy.namespace)
    ingress = [rule for frontend in selected if frontend.component == "frontend" for rule in _ingress(frontend, world)]
    for pod in world.pods if ingress else []:
        for port in {port for port in map(frontend_port, pod.containers) if port}:
            if not any(_opens(rule, port) and _lets_in(rule, pod, policy.namespace) for rule in ingress):
                yield f"keeps {pod} from port {port}"


def frontend_port(container):
    """None: it asks no frontend."""
    if container.program == "twofold" and container.pod.component == "lifecycle":
        return None
    return FRONTEND_PORT_OF.get(container.program)


def calls_the_api(pod):
    """Whether the programs of a pod call the API: as a job of the suite, or by themselves."""
    return (pod.component in ("lifecycle", "operator") or any(c.workload[:1] == ["lifecycle"] for c in pod.containers)
            or is_frontend_that_calls(pod))


def is_frontend_that_calls(pod):
    """A frontend that the API server asks asks it who may do that; one that knows who is busy writes that to pods."""
    return any(arg.startswith(("--metrics-api-address=", "--deletion-cost=")) for c in pod.containers for arg in c.own_args)


def _ingress(pod, world):
    """The rules of all policies that are about a pod."""
    policies = [m for m in world.manifests if m.kind == "NetworkPolicy" and m.namespace == pod.namespace]
    about = [m.data["spec"] for m in policies if matches(m.data["spec"]["podSelector"], pod.labels)]
    return [rule for spec in about for rule in spec.get("ingress", [])]


def _opens(rule, port):
    return "ports" not in rule or port in [entry["port"] for entry in rule["ports"]]


def _lets_in(rule, pod, namespace):
    def is_from(peer):
        return dig(peer, "namespaceSelector", "matchLabels", NAMESPACE_NAME, default=namespace)

    return any(
        pod.namespace == is_from(peer) and matches(peer["podSelector"], pod.labels)
        for peer in rule.get("from", [])
        if "podSelector" in peer
    )


def budget_selects_pods(budget, world):
    if not world.select_pods(budget.data["spec"]["selector"], budget.namespace):
        yield "selects no pod"


def workload_selects_its_own_pods_only(workload, world):
    selector = dig(workload.data, "spec", "selector")
    if selector is None:  # a CronJob has none
        return
    found = {str(pod) for pod in world.select_pods(selector, workload.namespace)}
    if found != {str(workload)}:
        yield f"selects {sorted(found)}"
    if set(selector["matchLabels"]) != {app(label) for label in SELECTING}:
        yield f"selects by {sorted(selector['matchLabels'])}, not by {SELECTING}"


# ---- objects that name others


def target_exists(scaler, world):
    target = scaler.data["spec"]["scaleTargetRef"]
    if world.find(target.get("kind", "Deployment"), target["name"], scaler.namespace) is None:
        yield f"there is no {target} in {scaler.namespace}"


def scaler_is_a_port_of_the_frontend(scaled, world):
    """What KEDA asks is there, and so is the queue that it asks about."""
    for trigger in scaled.data["spec"]["triggers"]:
        if not trigger["type"].startswith("external"):
            continue
        host, _, port = trigger["metadata"]["scalerAddress"].rpartition(":")
        name, _, namespace = host.partition(".")
        service = world.find("Service", name, namespace)
        ports = {p["name"]: p["port"] for p in service.data["spec"]["ports"]} if service else {}
        if ports.get("scalers") != int(port):
            yield f"{host}:{port} is not port scalers of a service"
        if trigger["metadata"]["queue"] not in world.queues():
            yield f"the frontend has no queue {trigger['metadata']['queue']}"


def described_objects_exist(hpa, world):
    for metric in hpa.data["spec"].get("metrics", []):
        described = dig(metric, "object", "describedObject")
        if described and world.find(described["kind"], described["name"], hpa.namespace) is None:
            yield f"there is no {described} in {hpa.namespace}"


def ingress_leads_to_a_service(ingress, world):
    for path in (path for rule in ingress.data["spec"]["rules"] for path in rule["http"]["paths"]):
        backend = path["backend"]["service"]
        service = world.find("Service", backend["name"], ingress.namespace)
        ports = service.data["spec"]["ports"] if service else []
        if backend["port"].get("name") not in [port["name"] for port in ports]:
            yield f"there is no service {backend}"


def binding_names_what_exists(binding, world):
    role = binding.data["roleRef"]
    is_known = (role["kind"], role["name"]) in ROLES_OF_KUBERNETES
    if not is_known and world.find(role["kind"], role["name"], None if role["kind"] == "ClusterRole" else binding.namespace) is None:
        yield f"there is no {role['kind']} {role['name']}"
    for subject in binding.data["subjects"]:
        if world.find(subject["kind"], subject["name"], subject["namespace"]) is None:
            yield f"there is no {subject}"


def account_writes_among_workloads_only(binding, world):
    accounts = [subject["name"] for subject in binding.data["subjects"]]
    if API_ACCOUNT in accounts and binding.namespace != WORKLOADS:
        yield f"gives {API_ACCOUNT} rights in {binding.namespace or 'the whole cluster'}"


def role_only_looks(role, world):
    """But for those of what creates workloads or runs Benchmarks; tests compare their verbs with those used."""
    component = role.labels.get(app("component"))
    for rule in role.data["rules"]:
        may_write = component == "lifecycle" and role.namespace == WORKLOADS
        may_write |= component == "operator" and set(rule["resources"]) <= OPERATOR_WRITES
        # `twofold validate` scales workers that are listed.
        may_write |= component == "client" and rule["resources"] == ["deployments/scale"] and "resourceNames" in rule
        may_write |= is_for_its_own_api_services(rule, world) or is_bounded_by_a_policy(role, rule, world)
        for verb in [] if may_write else set(rule["verbs"]) - {"get", "list", "watch"}:
            yield f"allows {verb} of {rule['resources']}"
        if "*" in rule["resources"] + rule["apiGroups"] or "secrets" in rule["resources"]:
            yield f"allows too much: {rule}"
        if "services/proxy" in rule["resources"] and not rule.get("resourceNames"):
            yield "reaches every service: load clients are controlled by GET"


def is_for_its_own_api_services(rule, world):
    """It is trusted by those that lead to it, each by its name, and makes and deletes none."""
    ours = {m.name for m in world.manifests if m.kind == "APIService"}
    return (rule["resources"] == ["apiservices"] and set(rule.get("resourceNames", [])) == ours
            and set(rule["verbs"]) <= {"get", "patch"})


def is_bounded_by_a_policy(role, rule, world):
    """Kubernetes has no right to annotations alone: a policy of the same name says what of pods may be changed."""
    bounds = [world.find(f"ValidatingAdmissionPolicy{end}", role.name) for end in ("", "Binding")]
    return role.labels.get(app("component")) == "frontend" and (rule["resources"], rule["verbs"]) == (["pods"], ["patch"]) and all(bounds)


def api_service_leads_to_the_port(api_service, world):
    """With the port that deployments/frontend/metrics-api adds, and with a name that says what it is for."""
    spec = api_service.data["spec"]
    if api_service.name != f"{spec['version']}.{spec['group']}":
        yield f"is for {spec['version']} of {spec['group']}"
    service = spec["service"]
    if world.find("Service", service["name"], service["namespace"]) is None:
        yield f"there is no Service {service}"
    if service["port"] != METRICS_API_PORT:
        yield f"leads to port {service['port']}"
    if "caBundle" in spec or spec.get("insecureSkipTLSVerify"):
        yield "says whom to trust: frontends do"


def claim_names_a_volume(claim, world):
    volume = claim.data["spec"].get("volumeName")  # none: the cluster makes one
    if volume is not None and world.find("PersistentVolume", volume) is None:
        yield f"there is no volume {volume}"


# ---- pods: what each of them is


def pod_has_agreed_names(pod, world):
    if pod.component not in NAMESPACE_OF:
        yield f"component is {pod.component}"
        return
    if pod.namespace != NAMESPACE_OF[pod.component]:
        yield f"{pod.component} is in {pod.namespace}"
    if [c.name for c in pod.containers] != [pod.component]:
        yield f"containers are {[c.name for c in pod.containers]}, not {pod.component}"
    base = f"scalability-tester-{pod.component}"
    wanted = base if pod.component in ALONE else f"{base}-{pod.instance}"
    if pod.manifest.kind in STANDING and pod.manifest.name != wanted:
        yield f"the name is not {wanted}"


def pod_has_its_name_alone(pod, world):
    """Autoscaling rules of one name are alternatives; two workloads of one name are a mistake."""
    names = [(p.manifest.kind, p.manifest.name, p.namespace) for p in world.pods]
    if names.count((pod.manifest.kind, pod.manifest.name, pod.namespace)) != 1:
        yield "another file has the same object"


def pod_is_labelled_like_its_owner(pod, world):
    for label in RECOMMENDED + ["instance"]:
        if pod.labels.get(app(label)) is None:
            yield f"no label {app(label)}"
        if pod.labels.get(app(label)) != pod.manifest.labels.get(app(label)):
            yield f"{app(label)} differs from that of {pod.manifest.kind}"
    for container in pod.all_containers:
        if not container.data["image"].endswith(":" + pod.labels[app("version")]):
            yield f"{container.data['image']} is not of the version in the labels"


def pod_gets_no_rights(pod, world):
    account = pod.spec.get("serviceAccountName")
    if pod.spec.get("automountServiceAccountToken") is not calls_the_api(pod):
        yield "mounts a token and does not call the Kubernetes API, or the other way round"
    wanted = OPERATOR_ACCOUNT if pod.component == "operator" else API_ACCOUNT
    if (account == wanted) is not (calls_the_api(pod) and not is_frontend_that_calls(pod)):
        yield f"has the account {account}"
    if account and world.find("ServiceAccount", account, pod.namespace) is None:
        yield f"there is no ServiceAccount {account}"


def pod_is_apart_from_its_node(pod, world):
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.spec.get(key):
            yield f"{key} is set"
    for volume in pod.spec.get("volumes", []):
        if "hostPath" in volume:
            yield f"volume {volume['name']} is a folder of the node"
        if "emptyDir" in volume and "sizeLimit" not in volume["emptyDir"]:
            yield f"volume {volume['name']} may fill the node"


def pod_runs_as_nobody_special(pod, world):
    context = pod.spec.get("securityContext", {})
    wanted = {"runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER, "seccompProfile": {"type": "RuntimeDefault"}}
    for key, value in wanted.items():
        if context.get(key) != value:
            yield f"{key} is {context.get(key)}, not {value}"


def pod_mounts_what_exists(pod, world):
    claimed = dig(pod.manifest.data, "spec", "volumeClaimTemplates", default=[])
    volumes = {volume["name"]: volume for volume in pod.spec.get("volumes", [])}
    volumes |= {claim["metadata"]["name"]: claim for claim in claimed}
    mounted = {mount["name"] for c in pod.all_containers for mount in c.data.get("volumeMounts", [])}
    if mounted != set(volumes):
        yield f"mounts {sorted(mounted)}, has {sorted(volumes)}"
    for volume in volumes.values():
        claim = dig(volume, "persistentVolumeClaim", "claimName")
        if claim and world.find("PersistentVolumeClaim", claim, pod.namespace) is None:
            yield f"there is no claim {claim}"


def pod_is_not_made_to_hurry(pod, world):
    """Grace period > drain limit >= limit > 0: a job at hand ends before its pod does."""
    for container in pod.containers:
        if container.program != "twofold-backend":
            continue
        grace = pod.spec.get("terminationGracePeriodSeconds", 30)
        limit, drain = (float(container.options.get(name, 0)) for name in ("limit", "drain-limit"))
        if not grace > drain >= limit > 0:
            yield f"not {grace} (grace period) > {drain} (--drain-limit) >= {limit} (--limit) > 0"
        if pod.manifest.kind == "WorkerPool" and not pod.manifest.data["spec"]["drainSeconds"] > drain:
            yield "the pool deletes a pod before its job is over"


def gang_members_reach_one_another(pod, world):
    """On all ports, as tools choose theirs; and nobody else reaches the port at which programs are started."""
    if not any("peers-address" in c.options for c in pod.containers):
        return
    ingress = _ingress(pod, world)
    if not any("ports" not in rule and _lets_in(rule, pod, pod.namespace) for rule in ingress):
        yield "no policy lets in the other members of a gang"
    for rule in ingress:
        others = [p for p in world.pods if p.instance != pod.instance and _lets_in(rule, p, pod.namespace)]
        if _opens(rule, "peers") and (others or "from" not in rule):
            yield f"the port peers is open to more than members: {rule}"


def job_ends_without_restarts(pod, world):
    if pod.manifest.kind not in ("Job", "CronJob"):
        return
    if pod.spec.get("restartPolicy") != "Never":
        yield "the kubelet would start a worker again that has left"
    for container in pod.containers:
        if container.options.get("backoff", "0") != "0":
            yield "a worker would stay when the queue is empty"
    if len(pod.manifest.name) > 52:
        yield "the name has more than 52 letters"


def frontend_is_alone_or_shares_a_database(pod, world):
    if pod.component != "frontend" or any("store-file" in c.options for c in pod.containers):
        return
    spec = pod.manifest.data["spec"]
    if spec["replicas"] != 1 or dig(spec, "strategy", "type") != "Recreate":
        yield "two frontends could run at the same time"


# ---- containers


def container_has_no_privileges(container, world):
    context = container.data.get("securityContext", {})
    wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    for key, value in wanted.items():
        if context.get(key) != value:
            yield f"{key} is {context.get(key)}, not {value}"
    for key in ("privileged", "runAsUser", "runAsNonRoot", "seccompProfile"):
        if key in context:
            yield f"{key} is set beside the pod's"


def container_has_requests_and_limits(container, world):
    resources = container.data.get("resources", {})
    requests, limits = resources.get("requests", {}), resources.get("limits", {})
    for what in ("cpu", "memory"):
        if what not in requests or what not in limits:
            yield f"no request or limit of {what}"
        elif quantity(requests[what]) > quantity(limits[what]):
            yield f"more {what} requested than the limit"
    for what in set(requests) | set(limits):
        if "/" in what and requests.get(what) != limits.get(what):
            yield f"{what}: a device is requested as often as it is limited"


SUFFIXES = {"": 1, "m": Decimal("0.001"), "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def quantity(text):
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    return Decimal(number) * SUFFIXES[suffix]


def image_is_without_a_registry_and_one_of_ours(container, world):
    name, _, version = container.data["image"].partition(":")
    others = OTHERS_IMAGE_OF.get(container.pod.component)
    if others is not None:
        if not re.fullmatch(others, container.data["image"]):
            yield f"image is {container.data['image']}, not {others}"
    elif not (ROOT / "dockerfiles" / f"{name}.docker").is_file() or not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"image is {container.data['image']}"
    if container.data.get("imagePullPolicy") != "IfNotPresent":
        yield "imagePullPolicy is not IfNotPresent"


# ---- containers that run our programs, not what prepares them


def program_is_that_of_the_component(container, world):
    wanted = f"/usr/local/bin/{PROGRAM_OF.get(container.pod.component)}"
    if container.data.get("command") not in ([wanted], WATCH if container.pod.component == "client" else None):
        yield f"command is {container.data.get('command')}, not [{wanted}]"


def probes_ask_the_right_pages(container, world):
    if container.program == "twofold":
        return
    for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        if container.program == "twofold-client":
            path = "/healthz"
        get = dig(container.data, probe, "httpGet", default={})
        if get.get("path") != path:
            yield f"{probe} asks {get.get('path')}, not {path}"
        if container.pod.ports().get(get.get("port")) != _http_port(container):
            yield f"{probe} asks port {get.get('port')}, which is not that of --http-address"


def _http_port(container):
    return int(container.options.get("http-address", ":0").rpartition(":")[2])


def ports_are_those_that_are_served(container, world):
    addresses = {name: value for name, value in container.options.items() if name.endswith("-address")}
    for name, value in addresses.items():
        host = value.rpartition(":")[0].strip("[]")
        if host and not ipaddress.ip_address(host).is_unspecified:
            yield f"--{name}={value} is not on all interfaces"
    served = sorted(int(value.rpartition(":")[2]) for value in addresses.values())
    declared = sorted(port["containerPort"] for port in container.data.get("ports", []))
    if served != declared:
        yield f"serves {served}, declares {declared}"


def options_are_written_with_equals_signs(container, world):
    """So that a script can change a line, and that these tests can read them."""
    if container.program in ("twofold-backend", "twofold-client") and container.positionals:
        yield f"what is {container.positionals}?"


def queue_is_one_of_the_frontend(container, world):
    queue = container.options.get("queue")
    if container.program in ("twofold-backend", "twofold-client") and queue not in world.queues():
        yield f"the frontend has no queue {queue}"
    if container.pod.manifest.kind in STANDING and queue not in (None, container.pod.instance):
        yield f"serves {queue}, but is called {container.pod.instance}"
    if container.pod.manifest.kind == "WorkerPool" and container.pod.manifest.data["spec"]["queue"] != queue:
        yield f"serves {queue}, but its pool is of another queue"


def frontend_address_is_that_of_its_service(container, world):
    wanted = frontend_port(container)
    if wanted is None:
        return
    host, _, port = container.options["frontend"].rpartition(":")
    name, _, namespace = host.partition(".")
    service = world.find("Service", name, namespace or container.pod.namespace)
    ports = {p["name"]: p["port"] for p in service.data["spec"]["ports"]} if service else {}
    if ports.get(wanted) != int(port):
        yield f"{host}:{port} is not port {wanted} of a service"


def names_of_node_pod_and_image_are_told(container, world):
    if container.program != "twofold-backend":
        return
    fields = {e["name"]: dig(e, "valueFrom", "fieldRef", "fieldPath") for e in container.data.get("env", [])}
    for option, field in (("node-env", "spec.nodeName"), ("pod-env", "metadata.name")):
        if fields.get(container.options.get(option)) != field:
            yield f"--{option} does not name a variable with {field}"
    values = {e["name"]: e.get("value") for e in container.data.get("env", [])}
    image = container.options.get("image-env")  # for suites only: others tell nothing of it
    if image is not None and values.get(image) != container.data["image"]:
        yield f"--image-env names a variable with {values.get(image)}, not {container.data['image']}"


RULES_OF_KIND = {
    "Service": [service_selects_pods_with_its_ports, service_is_called_like_its_pods],
    "ServiceMonitor": [monitor_matches_one_service],
    "NetworkPolicy": [
        policy_selects_pods_with_its_ports, policy_names_the_namespaces_it_lets_in, policy_lets_in_who_connects,
    ],
    "PodDisruptionBudget": [budget_selects_pods],
    "HorizontalPodAutoscaler": [target_exists, described_objects_exist],
    "ScaledObject": [target_exists, scaler_is_a_port_of_the_frontend],
    "Ingress": [ingress_leads_to_a_service],
    "RoleBinding": [binding_names_what_exists, account_writes_among_workloads_only],
    "ClusterRoleBinding": [binding_names_what_exists, account_writes_among_workloads_only],
    "Role": [role_only_looks],
    "ClusterRole": [role_only_looks],
    "PersistentVolumeClaim": [claim_names_a_volume],
    "APIService": [api_service_leads_to_the_port],
    **{kind: [workload_selects_its_own_pods_only] for kind in TEMPLATES},
}
RULES_OF_ALL = [has_recommended_labels, has_an_agreed_name]
RULES_OF_PODS = [
    pod_has_agreed_names,
    pod_has_its_name_alone,
    pod_is_labelled_like_its_owner,
    pod_gets_no_rights,
    pod_is_apart_from_its_node,
    pod_runs_as_nobody_special,
    pod_mounts_what_exists,
    pod_is_not_made_to_hurry,
    gang_members_reach_one_another,
    job_ends_without_restarts,
    frontend_is_alone_or_shares_a_database,
]
RULES_OF_CONTAINERS = [container_has_no_privileges, container_has_requests_and_limits, image_is_without_a_registry_and_one_of_ours]
RULES_OF_PROGRAMS = [
    program_is_that_of_the_component,
    probes_ask_the_right_pages,
    ports_are_those_that_are_served,
    options_are_written_with_equals_signs,
    queue_is_one_of_the_frontend,
    frontend_address_is_that_of_its_service,
    names_of_node_pod_and_image_are_told,
]


def cases(world):
    """Every rule with everything that it is about."""
    for manifest in world.manifests:
        for rule in RULES_OF_ALL + RULES_OF_KIND.get(manifest.kind, []):
            yield rule, manifest
    for pod in world.pods:
        yield from ((rule, pod) for rule in RULES_OF_PODS)
        yield from ((rule, c) for c in pod.all_containers for rule in RULES_OF_CONTAINERS)
        ours = [c for c in pod.containers if pod.component not in OTHERS_IMAGE_OF]
        yield from ((rule, c) for c in ours for rule in RULES_OF_PROGRAMS)
