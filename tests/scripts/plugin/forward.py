"""`kubectl -n NAMESPACE port-forward service/NAME :PORT` to a program of this machine, until it is ended.

It is that of a line `NAMESPACE/NAME:PORT HOST:PORT` in the file $FORWARDS, else of a pod of $CLUSTER. Adds its process id to
the file $FORWARDS.pids.
"""

import os
import socket
import sys
from pathlib import Path
from threading import Thread

FORWARDS = Path(os.environ["FORWARDS"])


def pour(here, there):
    try:
        while data := here.recv(65536):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:  # the other end is gone, and so is this connection
        there.close()


def forward(target, port):
    host, _, number = target.rpartition(":")
    server = socket.create_server(("127.0.0.1", 0))
    local = server.getsockname()[1]
    for address in ("127.0.0.1", "[::1]"):
        print(f"Forwarding from {address}:{local} -> {port}", flush=True)
    while True:
        here, _ = server.accept()
        print("Handling connection for", local, flush=True)
        there = socket.create_connection((host, number))
        for ends in ((here, there), (there, here)):
            Thread(target=pour, args=ends, daemon=True).start()


def target_of(namespace, service, port):
    for line in FORWARDS.read_text().splitlines():
        if line.startswith(f"{namespace}/{service}:{port} "):
            return line.split()[1]
    if "CLUSTER" not in os.environ:
        sys.exit("error: unable to forward port because pod is not running. Current status=Pending")
    sys.path.append(str(Path(__file__).resolve().parent.parent / "cluster"))
    import cluster
    import pods

    with cluster.opened() as there:
        pod, port = there.behind(namespace, service, int(port))
    return f"{pod['ip']}:{pods.port(pod, port)}"


words = sys.argv[1:]
service, port = words[words.index("port-forward") + 1 :]
with FORWARDS.with_suffix(".pids").open("a") as pids:
    print(os.getpid(), file=pids)
target = target_of(words[words.index("-n") + 1], service.removeprefix("service/"), port[1:])
forward(target, port[1:])
