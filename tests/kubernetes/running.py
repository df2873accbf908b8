"""Starts real programs on free ports of loopback, and ends them."""
import contextlib
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from manifests import ROOT

_BIN = os.environ.get("TWOFOLD_BIN", ROOT / "build" / "dev" / "bin")


def wait_for(look, what, seconds=30):
    """The first true value of `look()`; fails if there is none in time."""
    end = time.monotonic() + seconds
    while not (value := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return value


@contextlib.contextmanager
def program(*argv, log):
    """Runs a program until the end of the `with` block; its output goes to the file `log`."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen([str(arg) for arg in argv], stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def frontend(*queues, folder):
    """Runs a frontend; gives its addresses, a dictionary with client, worker and http."""
    ready = folder / "frontend.json"
    any_port = [f"--{who}-address=127.0.0.1:0" for who in ("client", "worker", "http")]
    with program(f"{_BIN}/twofold-frontend", *any_port, f"--ready-file={ready}", *queues,
                 log=folder / "frontend.log"):
        yield json.loads(wait_for(lambda: ready.exists() and ready.read_text(), "frontend ready"))


@contextlib.contextmanager
def load(addresses, queue, *, workers, jobs, seconds, folder):
    """Runs a backend with `workers` slots, and a client that keeps `jobs` jobs outstanding."""
    backend = [f"{_BIN}/twofold-backend", f"--frontend={addresses['worker']}", f"--queue={queue}",
               f"--slots={workers}", "--backoff=1", "--", "sleep", seconds]
    client = [f"{_BIN}/twofold-client", f"--frontend={addresses['client']}", f"--queue={queue}",
              f"--parallel={jobs}", "--http-address=127.0.0.1:0"]
    with program(*backend, log=folder / f"backend-{queue}.log"):
        with program(*client, log=folder / f"client-{queue}.log"):
            yield


class Prometheus:
    """The HTTP API of a running Prometheus."""

    def __init__(self, address):
        self._address = address

    def query(self, expression):
        """The series of an instant query."""
        return self._get("query", query=expression)["result"]

    def query_range(self, expression, seconds):
        """The series of the last `seconds`, one value a second, as a panel asks for them."""
        now = time.time()
        return self._get("query_range", query=expression, start=now - seconds, end=now,
                         step=1)["result"]

    def series(self, selector):
        """The label sets of the series that match."""
        return self._get("series", **{"match[]": selector})

    def label_values(self, selector, label):
        return self._get(f"label/{label}/values", **{"match[]": selector})

    def _get(self, path, **parameters):
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error


@contextlib.contextmanager
def prometheus(target, *, labels, folder):
    """Runs a Prometheus that scrapes `target` every second and adds `labels` to all series."""
    config = {"scrape_configs": [{
        "job_name": "twofold", "scrape_interval": "1s", "scrape_timeout": "1s",
        "static_configs": [{"targets": [target], "labels": labels}]}]}
    (folder / "prometheus.json").write_text(json.dumps(config))  # JSON is YAML
    log = folder / "prometheus.log"
    with program("prometheus", f"--config.file={folder}/prometheus.json",
                 f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0", log=log):
        listening = re.compile(r'msg="Listening on" address=(\S+)\n')
        match = wait_for(lambda: listening.search(log.read_text()), "Prometheus listening")
        wait_for(lambda: "Server is ready" in log.read_text(), "Prometheus ready")
        yield Prometheus(match.group(1))
