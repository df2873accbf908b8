"""As much of an API server as `twofold validate` asks for, on the containers of images.sh.

containers_api.py KUBECONFIG: writes the file that leads to it, and serves until it is ended.
"""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fakes"))

from small_kube_api import Missing, serve


def backends(*words):
    return subprocess.run([HERE / "stubs/containers/backends", *words], check=True, capture_output=True, text=True).stdout


def pod(line):
    name, state = line.split()
    runs = state == "running"
    conditions = [{"type": "Ready", "status": str(runs)}]
    return {"metadata": {"name": name}, "status": {"phase": "Running" if runs else "Failed", "conditions": conditions}}


def answer(target):
    path = urlsplit(target).path
    if path.endswith("/deployments/scalability-tester-backend-sleep"):
        return {"spec": {"selector": {"matchLabels": {"app": "backend"}}}}
    if path.endswith("/services/scalability-tester-client-sleep"):
        return {}
    if path.endswith("/pods"):
        return {"items": [pod(line) for line in backends("pods").splitlines()]}
    raise Missing(f"no path {path}")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), answer, lambda _space, _name, replicas: backends("scale", str(replicas)))
