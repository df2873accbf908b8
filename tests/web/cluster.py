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
metadata: {{name: {id}, runid: {id}}}
spec:
  template: {{kind: Fio, spec: {{direct: 0, ioengine: psync, size: 1M, runtime: 1s}}}}
  permutations: {{product: {{rw: [read, write], bs: [4k, 64k]}}}}
  repetitions: {repetitions}
"""


def wait_for(look, what, seconds=30):
    """The first true value of `look()`; fails if there is none in time."""
    end = time.monotonic() + seconds
    while not (value := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return value


class Programs:
    """Programs that write to `folder`; all of them end with it."""

    def __init__(self, folder):
        self.folder, self.programs = folder, {}

    def start(self, name, *arguments, key=None, **environment):
        key = key or name
        with open(self.folder / f"{key}.log", "w", encoding="utf-8") as log:
            argv = [str(BIN / f"twofold-{name}"), *arguments]
            self.programs[key] = subprocess.Popen(argv, stdout=log, stderr=log, env={**os.environ, **environment})

    def start_frontend(self, *arguments):
        """The addresses that it has."""
        ports = [f"--{who}-address=127.0.0.1:0" for who in ("client", "worker", "http")]
        self.start("frontend", *ports, f"--ready-file={self.folder}/frontend", *arguments)
        return self.ready("frontend")

    def start_client(self, *arguments):
        """The address of its page."""
        self.start("client", "--http-address=127.0.0.1:0", f"--ready-file={self.folder}/client", *arguments)
        return f"http://{self.ready('client')['http']}/"

    def ready(self, name):
        """The addresses that it says it has."""
        file = self.folder / name
        return json.loads(wait_for(lambda: file.exists() and file.read_text(), f"{name} ready"))

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


class Cluster(Programs):
    """`frontend_url` and `client_url` are the live pages. Nobody serves the queue held."""

    def __init__(self, folder, workers=4, seconds=0.3):
        super().__init__(folder)
        self.addresses = self.start_frontend(f"--store=sqlite:{folder}/jobs.db", "sleep", "fio", "tell", "held")
        self.frontend_url = f"http://{self.addresses['http']}/"
        for i in range(workers):
            self.worker("sleep", f"sleep-{i}", "sleep", str(seconds))
        self.worker("fio", "fio-0", "fio")
        self.client_url = self.start_client(f"--frontend={self.addresses['client']}", "--queue=sleep", "--parallel=8")

    def worker(self, queue, pod, *workload, slots=1):
        self.start("backend", f"--frontend={self.addresses['worker']}", f"--queue={queue}", "--pod-env=POD",
                   "--backoff=0.2", f"--slots={slots}", "--", *workload, key=pod, POD=pod)

    def twofold(self, *arguments):
        argv = [str(BIN / "twofold"), *arguments, "--frontend", self.addresses["client"]]
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout

    def submit(self, queue, *options):
        """The id of a new job."""
        return json.loads(self.twofold("job", "submit", queue, "--output", "json", *options))["id"]

    def begin_run(self, name, queue="fio", repetitions=2):
        """So many jobs of a second each for each of 4 permutations, one after the other."""
        file = self.folder / f"{name}.yaml"
        file.write_text(RUN.format(id=name, repetitions=repetitions))
        self.twofold("run", str(file), "--queue", queue, "--detach", "--unchecked")


class GuardedCluster(Programs):
    """A frontend and a client that ask for tokens, which are below."""

    TOKENS = {role: f"{role}-{role}-{role}" for role in ("admin", "read-only", "worker", "client")}

    def __init__(self, folder):
        super().__init__(folder)
        lines = [f"{role} my-{role} {token}\n" for role, token in self.TOKENS.items()]
        (folder / "tokens").write_text("".join(lines))
        (folder / "token").write_text(self.TOKENS["client"])
        addresses = self.start_frontend(f"--token-file={folder}/tokens", "sleep")
        self.frontend_url = f"http://{addresses['http']}/"
        self.client_url = self.start_client(
            f"--frontend={addresses['client']}", f"--token-file={folder}/token", "--queue=sleep", "--parallel=2",
            f"--http-token-file={folder}/tokens")
