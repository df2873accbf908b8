"""Pods of the cluster behind the kubectl stub: each is a real process of the project.

A pod has a loopback address of its own (127.A.B.N), so that what the manifests say about ports is
taken as it is, and nothing collides with what else runs on the machine.
"""

import base64
import contextlib
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

BIN = Path(os.environ["TWOFOLD_BIN"])
NOWHERE = "127.255.255.254:1"
RESTARTS = 2  # so often a pod that ends is started again at once; then it backs off for good


def begun(pid):
    """When the process began; None if it has ended. Tells it from a later one of that number."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def running(pod):
    return pod["pid"] is not None and pod["begun"] is not None and begun(pod["pid"]) == pod["begun"]


def send(pod, number):
    if running(pod):
        with contextlib.suppress(ProcessLookupError):  # it ended this very moment
            os.kill(pod["pid"], number)


def mount(pod, resolve, secret):
    """Writes the Secrets that the pod mounts; `secret` gives the data of one, or None."""
    for place, sources in pod["secrets"].items():
        for mounted in sources:
            data = secret(mounted["secretName"])
            if data is None and mounted.get("optional"):
                continue
            if data is None:
                return False
            folder = _folder(pod, place)
            folder.mkdir(parents=True, exist_ok=True)
            items = mounted.get("items") or [{"key": key, "path": key} for key in data]
            if any(item["key"] not in data for item in items):
                return False
            for item in items:
                file = folder / item["path"]
                file.write_bytes(_reachable(base64.b64decode(data[item["key"]]), resolve))
                file.chmod(0o600)
    return True


def _reachable(text, resolve):
    """A URL of a database with the address of the service that it names."""
    url = re.fullmatch(rb"(postgresql://.*@)([a-z.-]+)(/.*)", text)
    address = url and resolve(url[2].decode(), 5432)
    return url[1] + address.encode() + url[3] if address else text


def _folder(pod, place):
    return Path(pod["log"]).with_suffix("") / place.strip("/")


def start(pod, resolve, secret):
    """Starts the program of the pod's container; `resolve` makes an address of a service's name."""
    container = pod["container"]
    environment = _environment(pod, secret)
    words = container.get("command", [])[1:] + container.get("args", [])
    arguments = [_local(_expanded(word, environment), pod, resolve) for word in words]
    program = _program(container)
    log = Path(pod["log"])
    if log.exists():
        log.rename(log.with_suffix(".previous"))
    with log.open("w") as output:
        process = subprocess.Popen(
            [program, *arguments],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    pod.update(pid=process.pid, begun=begun(process.pid))  # None, if it has ended already


def _program(container):
    """That of the command, or what stands in for an image that has a command of its own."""
    if "command" in container:
        return BIN / Path(container["command"][0]).name
    return Path(__file__).with_name(container["image"].partition(":")[0])


def _environment(pod, secret):
    environment = {"POD_IP": pod["ip"]}
    for variable in pod["container"].get("env", []):
        value = variable.get("value") or _from(variable["valueFrom"], pod, secret)
        if value is not None:
            environment[variable["name"]] = _moved(_expanded(value, environment), pod)
    return environment


def _from(source, pod, secret):
    """None: a key of a Secret that is not there, which the manifest allows."""
    if "fieldRef" in source:
        fields = {"spec.nodeName": "node-1", "metadata.name": pod["name"], "metadata.namespace": pod["namespace"], "status.podIP": pod["ip"]}
        return fields[source["fieldRef"]["fieldPath"]]
    if "resourceFieldRef" in source:
        part, name = source["resourceFieldRef"]["resource"].split(".")
        return pod["container"]["resources"][part][name]
    key = source["secretKeyRef"]
    data = secret(key["name"]) or {}
    if key["key"] not in data and key.get("optional"):
        return None
    return base64.b64decode(data[key["key"]]).decode()


def _expanded(text, environment):
    return re.sub(r"\$\((\w+)\)", lambda name: environment.get(name[1], name[0]), text)


def _local(argument, pod, resolve):
    """An argument with what is only a pod's own: its address, and its folder for volumes."""
    listens = re.fullmatch(r"(--[a-z-]*address=):(\d+)", argument)
    if listens:
        return f"{listens[1]}{pod['ip']}:{listens[2]}"
    name, equals, path = argument.partition("=")
    if _moved(path, pod) != path:
        return name + equals + _moved(path, pod)
    if name == "--advertise":  # there are no names for single pods here
        return f"{name}={pod['ip']}"
    if argument.startswith("--work-dir="):
        folder = Path(pod["log"]).with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        return f"--work-dir={folder}"
    connects = re.fullmatch(r"--frontend=(.+):(\d+)", argument)
    if connects:
        return f"--frontend={resolve(connects[1], int(connects[2])) or NOWHERE}"
    return argument


def _moved(path, pod):
    """A path in a mounted Secret, where it is here."""
    for place in pod["secrets"]:
        if path.startswith(place + "/"):
            return f"{_folder(pod, place)}{path.removeprefix(place)}"
    return path


def look_after(pod, resolve, secret):
    """What the kubelet does: starts what has not run yet, and what has ended, but not for ever."""
    if pod["ending"] or running(pod):
        return
    if pod["pid"] is not None:
        pod["restarts"] += 1
        pod["pid"] = None
    if pod["restarts"] <= RESTARTS and pod["placed"] and mount(pod, resolve, secret):
        start(pod, resolve, secret)


def end(pod):
    send(pod, signal.SIGTERM)
    pod["ending"] = True


def port(pod, wanted):
    """The number of a port given by name or number."""
    named = {p["name"]: p["containerPort"] for p in pod["container"].get("ports", [])}
    return named.get(wanted, wanted)


def fetch(pod, wanted, path, timeout=10, scheme="HTTP"):
    address = (pod["ip"], port(pod, wanted))
    with socket.create_connection(address, timeout=timeout) as connection:
        if scheme == "HTTPS":  # the kubelet believes any certificate, and has none
            import ssl  # with http.client, takes as long as all other modules together

            connection = ssl._create_unverified_context().wrap_socket(connection)
        connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    status, text = head.split()[1:2], body.decode()
    if status != [b"200"]:
        raise OSError(f"{status} {text}")
    return text


def ready(pod):
    if pod["ending"] or not running(pod):
        return False
    if "exec" in pod["container"]["readinessProbe"]:
        command = pod["container"]["readinessProbe"]["exec"]["command"]
        here = [word.replace("127.0.0.1", pod["ip"]) for word in command]
        return subprocess.run(here, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    probe = pod["container"]["readinessProbe"]["httpGet"]
    try:
        fetch(pod, probe["port"], probe["path"], timeout=1, scheme=probe.get("scheme", "HTTP"))
    except OSError:
        return False
    return True


def phase(pod):
    return "Running" if pod["placed"] else "Pending"


def reason(pod):
    """Why its container waits."""
    return "CrashLoopBackOff" if pod["restarts"] > RESTARTS else ""


def status(pod):
    """As the column of `kubectl get pods`."""
    return "Terminating" if pod["ending"] else reason(pod) or phase(pod)
