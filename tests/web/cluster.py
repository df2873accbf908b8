"""A frontend with a store, workers and a load client: real programs on free ports of loopback."""

import json
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TWOFOLD_BIN", ROOT / "build/dev/bin"))

RUN = """apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: disks, runid: disks}
spec:
  template: {kind: Fio, spec: {direct: 0, ioengine: psync, size: 1M, runtime: 1s}}
  permutations: {product: {rw: [read, write], bs: [4k, 64k]}}
  repetitions: 2
"""


def wait_for(look, what, seconds=30):
    """The first true value of `look()`; fails if there is none in time."""
    end = time.monotonic() + seconds
    while not (value := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return value


class Cluster:
    """`frontend_url` and `client_url` are the live pages."""

    def __init__(self, folder, workers=4, seconds=0.3):
        self.folder, self.programs = folder, {}
        ports = [f"--{who}-address=127.0.0.1:0" for who in ("client", "worker", "http")]
        self.start("frontend", *ports, f"--ready-file={folder}/frontend", f"--store=sqlite:{folder}/jobs.db",
                   "sleep", "fio", "tell")
        self.addresses = self.ready("frontend")
        self.frontend_url = f"http://{self.addresses['http']}/"
        for i in range(workers):
            self.worker("sleep", f"sleep-{i}", "sleep", str(seconds))
        self.worker("fio", "fio-0", "fio")
        self.start("client", f"--frontend={self.addresses['client']}", "--queue=sleep", "--parallel=8",
                   "--http-address=127.0.0.1:0", f"--ready-file={folder}/client")
        self.client_url = f"http://{self.ready('client')['http']}/"

    def start(self, name, *arguments, key=None, **environment):
        key = key or name
        with open(self.folder / f"{key}.log", "w", encoding="utf-8") as log:
            argv = [str(BIN / f"twofold-{name}"), *arguments]
            self.programs[key] = subprocess.Popen(argv, stdout=log, stderr=log, env={**os.environ, **environment})

    def worker(self, queue, pod, *workload):
        self.start("backend", f"--frontend={self.addresses['worker']}", f"--queue={queue}", "--pod-env=POD",
                   "--backoff=0.2", "--", *workload, key=pod, POD=pod)

    def ready(self, name):
        """The addresses that it says it has."""
        file = self.folder / name
        return json.loads(wait_for(lambda: file.exists() and file.read_text(), f"{name} ready"))

    def twofold(self, *arguments):
        argv = [str(BIN / "twofold"), *arguments, "--frontend", self.addresses["client"]]
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout

    def begin_run(self):
        """8 jobs of a second each, one after the other; its id."""
        (self.folder / "run.yaml").write_text(RUN)
        self.twofold("run", str(self.folder / "run.yaml"), "--detach", "--unchecked")
        return "disks"

    def stop(self, key):
        self.programs[key].send_signal(signal.SIGSTOP)

    def go_on(self, key):
        self.programs[key].send_signal(signal.SIGCONT)

    def end(self, key):
        program = self.programs.pop(key)
        program.terminate()
        try:
            program.wait(15)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    def close(self):
        for key in reversed(list(self.programs)):
            self.end(key)
