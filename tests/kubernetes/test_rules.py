"""Every rule holds for everything that it is about, and each rule can be broken."""

import pytest

import manifests
import rules

WORLD = manifests.world()
CASES = list(rules.cases(WORLD))


@pytest.mark.parametrize("rule, subject", CASES, ids=[f"{rule.__name__}-{subject}" for rule, subject in CASES])
def test_rule(rule, subject):
    assert list(rule(subject, WORLD)) == []


# ---- each rule can be broken: "KIND/NAME", the path in it, what is put there, the rule that complains.

FRONTEND = "Deployment/scalability-tester-frontend"
SLEEP = "Deployment/scalability-tester-backend-sleep"
MEDIA = "Deployment/scalability-tester-backend-media"
CPU_MEDIA = "Deployment/scalability-tester-backend-cpu-media"
IPERF = "Deployment/scalability-tester-backend-iperf"
FIO = "StatefulSet/scalability-tester-backend-fio"
CLIENT = "Deployment/scalability-tester-client-sleep"
CRON = "CronJob/scalability-tester-cronjob-sleep"
SERVICE = "Service/scalability-tester-frontend"
NODES = "Service/scalability-tester-frontend-nodes"
DATABASE = "StatefulSet/scalability-tester-database"
POLICY = "NetworkPolicy/scalability-tester-frontend"
GANG_POLICY = "NetworkPolicy/scalability-tester-backend-iperf"
LIFECYCLE = "Deployment/scalability-tester-backend-lifecycle"
RUN = "Job/scalability-tester-lifecycle"
WRITER = "RoleBinding/scalability-tester-lifecycle"
BINDING = "RoleBinding/scalability-tester-viewer"
ROLE = "ClusterRole/scalability-tester-viewer"
API_SERVICE = "APIService/v1beta1.external.metrics.k8s.io"
OF_API_SERVICES = "ClusterRole/scalability-tester-frontend-metrics-api"
OF_COSTS = "Role/scalability-tester-frontend-deletion-cost"
POD = "spec.template.spec"
CRON_POD = "spec.jobTemplate.spec.template.spec"
FIRST = f"{POD}.containers.0"
INSTANCE = "app/instance"
GONE = object()

BREAKS = [
    (SLEEP, "metadata.labels.app/version", GONE, rules.has_recommended_labels),
    (SERVICE, "metadata.name", "frontend", rules.has_an_agreed_name),
    (SERVICE, "metadata.namespace", "monitor", rules.has_an_agreed_name),
    (SERVICE, f"spec.selector.{INSTANCE}", "x", rules.service_selects_pods_with_its_ports),
    (SERVICE, "spec.ports.0.targetPort", "client", rules.service_selects_pods_with_its_ports),
    (SERVICE, "spec.ports.0.port", 9990, rules.service_selects_pods_with_its_ports),
    (SERVICE, "metadata.name", "scalability-tester", rules.service_is_called_like_its_pods),
    (SERVICE, f"metadata.labels.{INSTANCE}", "x", rules.monitor_matches_one_service),
    (NODES, f"metadata.labels.{INSTANCE}", "frontend", rules.monitor_matches_one_service),
    (SERVICE, "spec.ports.1.name", "http", rules.monitor_matches_one_service),
    (POLICY, f"spec.podSelector.matchLabels.{INSTANCE}", "x", rules.policy_selects_pods_with_its_ports),
    (POLICY, "spec.ingress.2.ports.0.port", "http", rules.policy_selects_pods_with_its_ports),
    (POLICY, "spec.ingress.0.from.0.podSelector.matchLabels.app/component", "x",
     rules.policy_selects_pods_with_its_ports),
    (POLICY, "spec.ingress.1.from.0.namespaceSelector", GONE, rules.policy_lets_in_who_connects),
    (POLICY, "spec.ingress.1.from.0.namespaceSelector.matchLabels", {rules.NAMESPACE_NAME: "elsewhere"},
     rules.policy_lets_in_who_connects),
    (POLICY, "spec.ingress.1.from.0.namespaceSelector", {}, rules.policy_names_the_namespaces_it_lets_in),
    (POLICY, "spec.ingress.0.ports.0.port", "clients", rules.policy_lets_in_who_connects),
    ("PodDisruptionBudget/scalability-tester-frontend", f"spec.selector.matchLabels.{INSTANCE}", "x",
     rules.budget_selects_pods),
    (SLEEP, f"spec.selector.matchLabels.{INSTANCE}", "media", rules.workload_selects_its_own_pods_only),
    (CRON, f"spec.jobTemplate.spec.template.metadata.labels.{INSTANCE}", "sleep",
     rules.workload_selects_its_own_pods_only),
    ("Ingress/scalability-tester-client-sleep", "spec.rules.0.http.paths.0.backend.service.name", "x",
     rules.ingress_leads_to_a_service),
    (BINDING, "roleRef.name", "x", rules.binding_names_what_exists),
    (BINDING, "subjects.0.namespace", "validation", rules.binding_names_what_exists),
    (ROLE, "rules.0.verbs.0", "delete", rules.role_only_looks),
    (ROLE, "rules.0.resources.0", "*", rules.role_only_looks),
    (ROLE, "rules.6.resourceNames", GONE, rules.role_only_looks),
    (OF_API_SERVICES, "rules.0.resourceNames", GONE, rules.role_only_looks),
    (OF_API_SERVICES, "rules.0.verbs.0", "create", rules.role_only_looks),
    (OF_COSTS, "metadata.name", "x", rules.role_only_looks),
    (OF_COSTS, "rules.0.verbs.0", "update", rules.role_only_looks),
    (OF_COSTS, "rules.0.resources.0", "pods/status", rules.role_only_looks),
    (API_SERVICE, "metadata.name", "v1.external.metrics.k8s.io", rules.api_service_leads_to_the_port),
    (API_SERVICE, "spec.service.name", "x", rules.api_service_leads_to_the_port),
    (API_SERVICE, "spec.service.port", 443, rules.api_service_leads_to_the_port),
    (API_SERVICE, "spec.insecureSkipTLSVerify", True, rules.api_service_leads_to_the_port),
    ("Role/scalability-tester-lifecycle", "rules.0.resources.0", "secrets", rules.role_only_looks),
    ("Role/scalability-tester-lifecycle", "metadata.namespace", "monitoring", rules.role_only_looks),
    (WRITER, "metadata.namespace", "monitoring", rules.account_writes_among_workloads_only),
    ("PersistentVolumeClaim/scalability-tester-data", "spec.volumeName", "x", rules.claim_names_a_volume),
    (SLEEP, "metadata.name", "scalability-tester-sleep", rules.pod_has_agreed_names),
    (SLEEP, "metadata.namespace", "validation", rules.pod_has_agreed_names),
    (SLEEP, f"{FIRST}.name", "worker", rules.pod_has_agreed_names),
    (MEDIA, "metadata.name", "scalability-tester-backend-sleep", rules.pod_has_its_name_alone),
    (SLEEP, "spec.template.metadata.labels.app/version", "0.2.0", rules.pod_is_labelled_like_its_owner),
    (SLEEP, f"{POD}.automountServiceAccountToken", GONE, rules.pod_gets_no_rights),
    (FRONTEND, f"{POD}.serviceAccountName", "x", rules.pod_gets_no_rights),
    (SLEEP, f"{POD}.serviceAccountName", rules.API_ACCOUNT, rules.pod_gets_no_rights),
    (LIFECYCLE, f"{POD}.automountServiceAccountToken", False, rules.pod_gets_no_rights),
    (LIFECYCLE, f"{POD}.serviceAccountName", "scalability-tester-frontend", rules.pod_gets_no_rights),
    (RUN, f"{POD}.serviceAccountName", GONE, rules.pod_gets_no_rights),
    (SLEEP, f"{POD}.hostNetwork", True, rules.pod_is_apart_from_its_node),
    (CPU_MEDIA, f"{POD}.volumes.0", {"name": "videos", "hostPath": {"path": "/"}}, rules.pod_is_apart_from_its_node),
    (CPU_MEDIA, f"{POD}.volumes.0.emptyDir", {}, rules.pod_is_apart_from_its_node),
    (SLEEP, f"{POD}.securityContext.runAsUser", 0, rules.pod_runs_as_nobody_special),
    (SLEEP, f"{POD}.securityContext.seccompProfile", GONE, rules.pod_runs_as_nobody_special),
    (MEDIA, f"{POD}.volumes.0.name", "x", rules.pod_mounts_what_exists),
    (MEDIA, f"{POD}.volumes.0.persistentVolumeClaim.claimName", "x", rules.pod_mounts_what_exists),
    (FIO, "spec.volumeClaimTemplates.0.metadata.name", "x", rules.pod_mounts_what_exists),
    (FIO, "metadata.name", "scalability-tester-fio", rules.pod_has_agreed_names),
    (SLEEP, f"{POD}.terminationGracePeriodSeconds", 15, rules.pod_is_not_made_to_hurry),
    (SLEEP, f"{FIRST}.args.--limit", "--limit=16", rules.pod_is_not_made_to_hurry),
    (CRON, f"{CRON_POD}.containers.0.args.--limit", "--limit=0", rules.pod_is_not_made_to_hurry),
    (GANG_POLICY, "spec.ingress.0.ports", [{"port": "peers"}], rules.gang_members_reach_one_another),
    (GANG_POLICY, "spec.ingress.1.ports", GONE, rules.gang_members_reach_one_another),
    (GANG_POLICY, "spec.ingress.0.from.0.podSelector.matchLabels.app/instance", GONE, rules.gang_members_reach_one_another),
    (CRON, f"{CRON_POD}.restartPolicy", "OnFailure", rules.job_ends_without_restarts),
    (CRON, f"{CRON_POD}.containers.0.args.--backoff", "--backoff=1", rules.job_ends_without_restarts),
    (CRON, "metadata.name", "scalability-tester-cronjob-" + "x" * 26, rules.job_ends_without_restarts),
    (FRONTEND, "spec.strategy", GONE, rules.frontend_is_alone_or_shares_a_database),
    (FRONTEND, "spec.replicas", 2, rules.frontend_is_alone_or_shares_a_database),
    (SLEEP, f"{FIRST}.securityContext.readOnlyRootFilesystem", False, rules.container_has_no_privileges),
    (SLEEP, f"{FIRST}.securityContext.runAsUser", 0, rules.container_has_no_privileges),
    (CPU_MEDIA, f"{POD}.initContainers.0.securityContext", GONE, rules.container_has_no_privileges),
    (SLEEP, f"{FIRST}.resources.limits.memory", GONE, rules.container_has_requests_and_limits),
    (SLEEP, f"{FIRST}.resources.limits.memory", "31Mi", rules.container_has_requests_and_limits),
    (SLEEP, f"{FIRST}.resources.limits.cpu", "9m", rules.container_has_requests_and_limits),
    (MEDIA, f"{FIRST}.resources.requests.gpu.intel.com/i915", GONE, rules.container_has_requests_and_limits),
    (SLEEP, f"{FIRST}.image", "registry.example.com/scalability-tester:0.1.0", rules.image_is_without_a_registry_and_one_of_ours),
    (SLEEP, f"{FIRST}.image", "scalability-tester-sleep:0.1.0", rules.image_is_without_a_registry_and_one_of_ours),
    (DATABASE, f"{FIRST}.image", "registry.example.com/postgres:15", rules.image_is_without_a_registry_and_one_of_ours),
    (SLEEP, f"{FIRST}.imagePullPolicy", GONE, rules.image_is_without_a_registry_and_one_of_ours),
    (SLEEP, f"{FIRST}.command", ["/usr/local/bin/twofold-client"], rules.program_is_that_of_the_component),
    (SLEEP, f"{FIRST}.readinessProbe.httpGet.path", "/healthz", rules.probes_ask_the_right_pages),
    (SLEEP, f"{FIRST}.livenessProbe.httpGet.path", "/readyz", rules.probes_ask_the_right_pages),
    (FRONTEND, f"{FIRST}.readinessProbe.httpGet.port", "workers", rules.probes_ask_the_right_pages),
    (CLIENT, f"{FIRST}.livenessProbe", GONE, rules.probes_ask_the_right_pages),
    (CLIENT, f"{FIRST}.args.--http-address", "--http-address=127.0.0.1:9996", rules.ports_are_those_that_are_served),
    (CLIENT, f"{FIRST}.args.--http-address", "--http-address=:9998", rules.ports_are_those_that_are_served),
    (FRONTEND, f"{FIRST}.ports.2", GONE, rules.ports_are_those_that_are_served),
    (SLEEP, f"{FIRST}.args.--queue", "sleep", rules.options_are_written_with_equals_signs),
    (SLEEP, f"{FIRST}.args.--queue", "--queue=sleeep", rules.queue_is_one_of_the_frontend),
    (SLEEP, f"{FIRST}.args.--queue", "--queue=media", rules.queue_is_one_of_the_frontend),
    (FRONTEND, f"{FIRST}.args.sleep", "sleeep", rules.queue_is_one_of_the_frontend),
    (SLEEP, f"{FIRST}.args.--frontend", "--frontend=scalability-tester-frontend:9997",
     rules.frontend_address_is_that_of_its_service),
    (CLIENT, f"{FIRST}.args.--frontend", "--frontend=scalability-tester-frontend:9997",
     rules.frontend_address_is_that_of_its_service),
    (SLEEP, f"{FIRST}.env.0.valueFrom.fieldRef.fieldPath", "spec.hostname", rules.names_of_node_pod_and_image_are_told),
    (SLEEP, f"{FIRST}.args.--pod-env", "--pod-env=NAME", rules.names_of_node_pod_and_image_are_told),
    (IPERF, f"{FIRST}.env.3.value", "scalability-tester-fio:0.1.0", rules.names_of_node_pod_and_image_are_told),
]


def keys(path):
    """a.0.app/name: names, places in lists, and labels with their prefix (which has dots)."""
    head, device, tail = path.partition("gpu.intel.com/i915")
    for key in head.strip(".").split("."):
        yield f"app.kubernetes.io/{key[4:]}" if key.startswith("app/") else key
    if device:
        yield device + tail


def place(data, key):
    """In a list: the place by number, or of the argument that begins so."""
    if isinstance(data, dict):
        return key
    return int(key) if key.isdigit() else next(i for i, arg in enumerate(data) if arg.partition("=")[0] == key)


def put(data, path, value):
    *way, last = keys(path)
    for key in way:
        data = data[place(data, key)]
    if value is GONE:
        del data[place(data, last)]
    else:
        data[last if isinstance(data, dict) else place(data, last)] = value


def complaints(world, rule):
    return [text for case, subject in rules.cases(world) if case is rule for text in case(subject, world)]


@pytest.mark.parametrize("name, path, value, rule", BREAKS,
                         ids=[f"{rule.__name__}-{path}" for _, path, _, rule in BREAKS])
def test_broken_manifest_breaks_the_rule(name, path, value, rule):
    world = manifests.world()
    manifest = next(m for m in world.manifests if f"{m.kind}/{m.name}" == name)
    assert complaints(world, rule) == []
    put(manifest.data, path, value)
    assert complaints(world, rule) != []


def scaler(kind, **spec):
    data = {"kind": kind, "metadata": {"name": "scalability-tester-x", "namespace": "monitoring"}, "spec": spec}
    return manifests.Manifest("x.yaml", data)


def test_scaler_of_what_does_not_exist_breaks_the_rule():
    there = {"kind": "Deployment", "name": "scalability-tester-backend-sleep"}
    assert list(rules.target_exists(scaler("HorizontalPodAutoscaler", scaleTargetRef=there), WORLD)) == []
    gone = {"name": "scalability-tester-backend-x"}
    assert list(rules.target_exists(scaler("ScaledObject", scaleTargetRef=gone), WORLD)) != []


def test_metric_of_an_object_that_does_not_exist_breaks_the_rule():
    def hpa(name):
        described = {"kind": "Service", "name": name}
        return scaler("HorizontalPodAutoscaler", metrics=[{"type": "Object", "object": {"describedObject": described}}])

    assert list(rules.described_objects_exist(hpa("scalability-tester-frontend"), WORLD)) == []
    assert list(rules.described_objects_exist(hpa("scalability-tester-x"), WORLD)) != []


def test_scaler_that_no_frontend_serves_breaks_the_rule():
    def keda(address, queue):
        return scaler("ScaledObject", triggers=[
            {"type": "external-push", "metadata": {"scalerAddress": address, "queue": queue}}])

    asked = "scalability-tester-frontend.monitoring:9994"
    assert list(rules.scaler_is_a_port_of_the_frontend(keda(asked, "sleep"), WORLD)) == []
    for trigger in (keda(asked, "slep"), keda("scalability-tester-frontend.monitoring:9998", "sleep"),
                    keda("scalability-tester-frontend.other:9994", "sleep")):
        assert len(list(rules.scaler_is_a_port_of_the_frontend(trigger, WORLD))) == 1


def test_every_rule_is_shown_to_be_breakable():
    all_rules = {rule for rule, _ in CASES} | {rule for rules_of in rules.RULES_OF_KIND.values() for rule in rules_of}
    shown = {rule for *_, rule in BREAKS} | {rules.target_exists, rules.described_objects_exist,
                                             rules.scaler_is_a_port_of_the_frontend}
    assert all_rules == shown
