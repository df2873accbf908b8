"""deployments/cluster: frontends that share a database, with each database, alone and beside security/enable."""

import copy
import itertools
import os
import re
import stat
import subprocess
from fnmatch import fnmatch

import pytest

import manifests
import rules
import sandbox

FRONTENDS = ["frontend/service", "frontend"]
AROUND = ["namespace", "sleep-queue"]
DATABASES = ["cloudnative-pg", "postgresql"]
CLUSTER, SECURITY = "frontend/cluster", "security/enable"
ORDERS = [(CLUSTER,), *itertools.permutations((CLUSTER, SECURITY))]
PLACES = [(database, order) for database in DATABASES for order in ORDERS]
NAME = "scalability-tester-frontend"
STORE = "/etc/twofold/database"
# What the operator calls what it makes for a Cluster of this name, and its keys that are used here.
MADE = {"scalability-tester-database-app": {"uri"}, "scalability-tester-database-ca": {"ca.crt"}}


@pytest.fixture(scope="module")
def render(kubectl, tmp_path_factory):
    """The world that folders and components make, each combination once."""
    made = {}

    def world(folders, components=()):
        key = tuple(folders), tuple(components)
        if key not in made:
            overlay = tmp_path_factory.mktemp("overlay").resolve()
            resources, used = ([os.path.relpath(manifests.DEPLOYMENTS / name, overlay) for name in names] for names in key)
            (overlay / "kustomization.yaml").write_text(
                f"kind: Kustomization\nresources: [{', '.join(resources)}]\ncomponents: [{', '.join(used)}]\n")
            done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 0, done.stderr
            made[key] = [manifests.Manifest("overlay", data) for data in manifests.parse(done.stdout)]
        return manifests.World(copy.deepcopy(made[key]))

    return world


@pytest.fixture(params=PLACES, ids=lambda place: "+".join((place[0], *place[1])))
def world(request, render):
    database, components = request.param
    return render([*FRONTENDS, *AROUND, f"database/{database}"], components)


@pytest.fixture
def plain(render):
    """Three frontends, and nothing of security."""
    return render([*FRONTENDS, *AROUND, "database/cloudnative-pg"], [CLUSTER])


def frontends(world):
    (pod,) = [pod for pod in world.pods if pod.component == "frontend"]
    return pod


def options(world):
    (container,) = frontends(world).containers
    return container.options


def objects(world):
    return {str(manifest): manifest.data for manifest in world.manifests}


# ---- the whole


def test_objects_are_valid_and_keep_all_rules(checker, world):
    assert [error for manifest in world.manifests for error in checker.errors(manifest.data)] == []
    assert [text for rule, subject in rules.cases(world) for text in rule(subject, world)] == []


def test_folder_to_apply_is_the_component_on_the_frontend(render):
    assert objects(render(["cluster"])) == objects(render(FRONTENDS, [CLUSTER]))


def test_what_others_connect_to_stays(render):
    alone, many = objects(render(FRONTENDS)), objects(render(FRONTENDS, [CLUSTER]))
    changed = {name for name in alone if alone[name] != many.get(name)}
    assert changed == {f"overlay:{kind}/{NAME}" for kind in ("Deployment", "PodDisruptionBudget", "NetworkPolicy")}
    assert set(many) - set(alone) == {f"overlay:StatefulSet/{NAME}", f"overlay:Service/{NAME}-nodes"}


def test_frontend_differs_from_a_single_one_in_what_a_cluster_needs(render):
    def parts(components):
        pod = frontends(render(FRONTENDS, components))
        spec, (container,) = dict(pod.spec), pod.spec["containers"]
        del spec["containers"]
        return spec, container, pod

    spec, container, pod = parts([CLUSTER])
    alone, alone_container, alone_pod = parts([])
    assert (pod.manifest.kind, alone_pod.manifest.kind) == ("StatefulSet", "Deployment")
    assert [arg for arg in container["args"] if arg not in alone_container["args"]] == [
        f"--store-file={STORE}/uri", f"--advertise=$(POD_NAME).{NAME}-nodes.$(POD_NAMESPACE)", "--name=$(POD_NAME)"]
    # The queues are the same, and in the same order: all frontends of a database have the same ones.
    assert container["args"][3:] == alone_container["args"]
    assert {key for key in container if container[key] != alone_container.get(key)} == {"args", "env", "volumeMounts"}
    assert {key for key in spec if spec[key] != alone.get(key)} == {
        "securityContext", "terminationGracePeriodSeconds", "topologySpreadConstraints", "volumes"}
    assert set(alone) <= set(spec) and set(alone_container) <= set(container)


def test_program_accepts_its_arguments(programs, plain, tmp_path):
    (container,) = frontends(plain).containers
    box = sandbox.Sandbox(tmp_path, container, programs)
    uri = tmp_path / STORE.lstrip("/") / "uri"
    uri.write_text("postgresql://twofold:secret@scalability-tester-database-rw.monitoring:5432/twofold\n")
    uri.chmod(0o440)
    done = box.run("--check-config")
    assert (done.returncode, done.stderr) == (0, "")


# ---- names


def headless(world):
    return world.find("Service", frontends(world).manifest.data["spec"]["serviceName"], "monitoring")


def test_each_frontend_has_the_name_that_it_tells_others(plain):
    pod, service = frontends(plain), headless(plain)
    variables = {"POD_NAME": "POD", "POD_NAMESPACE": pod.namespace}
    assert manifests.expanded(options(plain)["advertise"], variables) == f"POD.{service.name}.{service.namespace}"
    fields = {entry["name"]: manifests.dig(entry, "valueFrom", "fieldRef", "fieldPath") for entry in pod.containers[0].data["env"]}
    assert (fields["POD_NAME"], fields["POD_NAMESPACE"]) == ("metadata.name", "metadata.namespace")
    assert service.data["spec"]["clusterIP"] == "None"
    assert service.data["spec"]["publishNotReadyAddresses"]  # one that hands over is asked, too
    assert plain.select_pods({"matchLabels": service.data["spec"]["selector"]}, service.namespace) == [pod]


def certificate_names(namespace):
    """Of the frontend: as cert-manager makes it, and as deployments-apply.sh does."""
    of_cert_manager = manifests.world().find("Certificate", NAME, "monitoring").data["spec"]["dnsNames"]
    script = (manifests.ROOT / "deployments-apply.sh").read_text()
    (line,) = re.findall(r"^scalability-tester-tls m (\S+)$", script, re.M)
    return [of_cert_manager, re.findall(r"DNS:([^,]+)", line.replace("$monitoring", namespace))]


def test_certificates_are_for_the_names_of_single_frontends(plain):
    name = manifests.expanded(options(plain)["advertise"], {"POD_NAME": f"{NAME}-0", "POD_NAMESPACE": "monitoring"})
    for names in certificate_names("monitoring"):
        (found,) = [each for each in names if each.startswith("*.") and fnmatch(name, each)]
        assert found[2:].count(".") >= 1  # TLS libraries take no star before a single name
        assert name.count(".") == found.count(".")


# ---- the database


def projected(world):
    """What is in the folder of the database's Secrets: the volume, and its sources by Secret."""
    pod = frontends(world)
    (mount,) = [mount for mount in pod.containers[0].data["volumeMounts"] if mount["mountPath"] == STORE]
    assert mount["readOnly"]
    (volume,) = [volume["projected"] for volume in pod.spec["volumes"] if volume["name"] == mount["name"]]
    return volume, {source["secret"]["name"]: source["secret"] for source in volume["sources"]}


def test_url_is_in_a_file_that_others_cannot_read_and_in_no_argument(world):
    pod = frontends(world)
    volume, secrets = projected(world)
    assert {name: {item["key"] for item in secret["items"]} for name, secret in secrets.items()} == MADE
    assert all(item["key"] == item["path"] for secret in secrets.values() for item in secret["items"])
    assert options(world)["store-file"] == f"{STORE}/uri"
    assert volume["defaultMode"] & stat.S_IRWXO == 0 and volume["defaultMode"] & stat.S_IRGRP
    assert pod.spec["securityContext"]["fsGroup"] == pod.spec["securityContext"]["runAsGroup"]
    assert not any("postgresql://" in text for text in [*pod.containers[0].args, *pod.containers[0].environment().values()])


def test_server_is_verified_unless_the_url_says_otherwise(world):
    environment = frontends(world).containers[0].environment()
    assert environment["PGSSLMODE"] == "verify-full"
    assert environment["PGSSLROOTCERT"] == f"{STORE}/ca.crt"
    assert projected(world)[1]["scalability-tester-database-ca"]["optional"]  # the URL may say otherwise


def test_operator_makes_the_secrets_that_are_read(plain):
    cluster = plain.find("Cluster", "scalability-tester-database", "monitoring")
    assert set(MADE) == {f"{cluster.name}-app", f"{cluster.name}-ca"}
    assert cluster.data["spec"]["bootstrap"]["initdb"] == {"database": "twofold", "owner": "twofold"}


def test_no_acknowledged_commit_is_lost_with_one_server(plain):
    spec = plain.find("Cluster", "scalability-tester-database", "monitoring").data["spec"]
    assert spec["postgresql"]["synchronous"] == {"method": "any", "number": 1, "dataDurability": "required", "failoverQuorum": True}
    assert spec["instances"] == 3 and spec["affinity"] == {"podAntiAffinityType": "required", "topologyKey": "kubernetes.io/hostname"}


def test_log_of_the_database_has_a_volume_that_an_absent_server_cannot_fill(plain):
    spec = plain.find("Cluster", "scalability-tester-database", "monitoring").data["spec"]
    kept = spec["postgresql"]["parameters"]["max_slot_wal_keep_size"]
    assert rules.quantity(kept.replace("GB", "Gi")) * 2 <= rules.quantity(spec["walStorage"]["size"])


def test_server_for_trying_out_reads_the_password_of_the_same_secret(render):
    pods = [pod for pod in render([*AROUND, "database/postgresql"]).pods if pod.component == "database"]
    (pod,) = pods
    (secret,) = [volume["secret"] for volume in pod.spec["volumes"] if "secret" in volume]
    assert secret["secretName"] in MADE
    (mount,) = [mount for mount in pod.containers[0].data["volumeMounts"] if "secrets" in mount["mountPath"]]
    assert pod.containers[0].environment()["POSTGRES_PASSWORD_FILE"] == f"{mount['mountPath']}/{secret['items'][0]['path']}"
    assert "trying out" in (manifests.DEPLOYMENTS / "database/postgresql/postgresql.yaml").read_text().partition("apiVersion")[0]


# ---- who reaches whom


def opens(entries, port):
    return any(entry["port"] == port for entry in entries)


def test_frontends_reach_one_another_the_database_and_names(world):
    policy = world.find("NetworkPolicy", NAME, "monitoring").data["spec"]
    labels = frontends(world).labels
    for direction, end in (("ingress", "from"), ("egress", "to")):
        peers = [peer for rule in policy[direction] if opens(rule["ports"], "clients") for peer in rule.get(end, [])]
        assert any(set(peer) == {"podSelector"} and manifests.matches(peer["podSelector"], labels) for peer in peers), direction
    anywhere = [entry["port"] for rule in policy["egress"] if "to" not in rule for entry in rule["ports"]]
    assert sorted(anywhere) == [53, 53, 5432]


def test_database_for_trying_out_lets_frontends_in_and_nobody_else(render):
    world = render([*FRONTENDS, *AROUND, "database/postgresql"], [CLUSTER])
    (rule,) = world.find("NetworkPolicy", "scalability-tester-database", "monitoring").data["spec"]["ingress"]
    (peer,) = rule["from"]
    assert set(peer) == {"podSelector"}
    assert world.select_pods(peer["podSelector"]) == [frontends(world)]


# ---- an update under load: one frontend after the other hands over, and callers follow


def end_limit():
    """The seconds after which the program ends, whatever happens."""
    sources = [path.read_text() for path in (manifests.ROOT / "frontend").rglob("*.cc")]
    (seconds,) = {int(found) for text in sources for found in re.findall(r"kEndLimit = std::chrono::seconds\((\d+)\)", text)}
    return seconds


def test_frontend_has_time_to_hand_over_before_it_is_killed(world):
    grace = frontends(world).spec["terminationGracePeriodSeconds"]
    jobs = float(frontends(world).containers[0].options.get("stop-grace", 10))
    assert grace >= jobs + max(10, end_limit()) + 5
    assert "lifecycle" not in frontends(world).containers[0].data  # SIGTERM does all of it


def test_one_frontend_at_a_time_is_updated_when_the_one_before_serves(world):
    spec = frontends(world).manifest.data["spec"]
    assert spec["replicas"] == 3
    assert "strategy" not in spec and "updateStrategy" not in spec  # RollingUpdate, one by one, is the default
    assert spec["minReadySeconds"] > 0
    probe = frontends(world).containers[0].data["readinessProbe"]
    assert probe["httpGet"]["path"] == "/readyz" and probe["periodSeconds"] <= 2


def test_one_frontend_at_a_time_may_be_evicted(world):
    spec = world.find("PodDisruptionBudget", NAME, "monitoring").data["spec"]
    assert spec["maxUnavailable"] == 1 and "minAvailable" not in spec


def test_frontends_are_on_several_nodes(world):
    (spread,) = frontends(world).spec["topologySpreadConstraints"]
    assert (spread["maxSkew"], spread["topologyKey"]) == (1, "kubernetes.io/hostname")
    assert world.select_pods(spread["labelSelector"], "monitoring") == [frontends(world)]
