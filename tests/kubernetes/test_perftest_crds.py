"""The definitions of kube-perftest's kinds are those of its own operator (28e2db3), field by field.

The tables are what its models say, written down apart from kubernetes/operator/perftest/kinds.yaml.
"""

import pytest

import manifests

DEFINITIONS = {
    data["spec"]["names"]["kind"]: data["spec"]
    for data in manifests.parse((manifests.DEPLOYMENTS / "benchmark-operator/perftest-crds/perftest.yaml").read_text())
}
PLURALS = {
    "IPerf": "iperfs", "MPIPingPong": "mpipingpongs", "OpenFOAM": "openfoams", "RDMABandwidth": "rdmabandwidths",
    "RDMALatency": "rdmalatencies", "Fio": "fios", "PyTorch": "pytorchs", "BenchmarkSet": "benchmarksets",
}
BENCHMARKS = sorted(set(PLURALS) - {"BenchmarkSet"})
MAP = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def integer(default=None, above=None, **more):
    schema = {"type": "integer", **more}
    if above is not None:
        schema |= {"minimum": above, "exclusiveMinimum": True}
    return schema if default is None else schema | {"default": default}


def word(words, default=None):
    schema = {"type": "string", "enum": words}
    return schema if default is None else schema | {"default": default}


def like(pattern, default):
    return {"type": "string", "pattern": pattern, "default": default}


FALSE = {"type": "boolean", "default": False}
COMMON = {
    "hostNetwork": FALSE,
    "networkName": {"type": "string", "minLength": 1},
    "resources": {"type": "object", "properties": {"requests": MAP | {"default": {}}, "limits": MAP | {"default": {}}}},
    "mtu": integer(above=0),
    "imagePullPolicy": word(["Always", "IfNotPresent", "Never"], "IfNotPresent"),
}
TRANSPORT = word(["TCP", "RDMA"], "TCP")
MODE = word(["read", "write"], "read")
EXTRA = {"type": "array", "items": {"type": "string", "minLength": 1}, "default": []}
ITERATIONS = integer(1000, minimum=5)
BYTES = r"\d+(K|M|G|T|P)?"
SPECS = {
    "IPerf": {"duration": integer(above=0), "streams": integer(above=0)},
    "MPIPingPong": {"sshPort": integer(2222, 0), "transport": TRANSPORT, "maxlog": integer(22, 0)},
    "OpenFOAM": {
        "sshPort": integer(2222, 0), "transport": TRANSPORT, "problemSize": word(["S", "M", "XL", "XXL"], "S"),
        "iterativeMethod": word(
            ["fixedITER", "fixedNORM", "FOAM-DIC-PCG.fixedNORM", "FOAM-GAMG-PCG.fixedNORM", "PETSc-AMG-CG.fixedNORM",
             "PETSc-AMG-CG.fixedNORM.caching", "PETSc-ICC-CG.fixedNORM"], "fixedNORM"),
        "numProcs": integer(1, 0), "numNodes": integer(1, 0),
    },
    "RDMABandwidth": {"mode": MODE, "iterations": ITERATIONS, "extraArgs": EXTRA, "qps": integer(1, 0)},
    "RDMALatency": {"mode": MODE, "iterations": ITERATIONS, "extraArgs": EXTRA},
    "Fio": {
        "fioPort": integer(8765, minimum=1024), "volumeClaimTemplate": MAP | {"default": {}}, "numWorkers": integer(1, 0),
        "rw": word(["read", "write", "randread", "randwrite", "rw,readwrite", "randrw"], "read"),
        "bs": like(BYTES, "4M"), "size": like(BYTES, "10G"),
        "iodepth": integer(1, 0), "nrfiles": integer(1, 0), "numJobs": integer(1, 0),
        "ioengine": word(["libaio"], "libaio"),
        "rwmixread": integer(50, minimum=0, maximum=100), "percentageRandom": integer(100, minimum=0, maximum=100),
        "direct": integer(1, enum=[1, 0]), "runtime": like(r"\d+(D|H|M|s|ms|us)?", "30s"), "thread": FALSE,
    },
    "PyTorch": {
        "device": word(["cpu", "cuda"], "cpu"), "model": word(["alexnet", "resnet50", "llama"]),
        "benchmarkType": word(["train", "eval"], "eval"), "inputBatchSize": integer(64, minimum=2, multipleOf=2),
    },
    "BenchmarkSet": {
        "template": {
            "type": "object",
            "properties": {
                "apiVersion": {"type": "string", "pattern": "^perftest.stackhpc.com"},
                "kind": {"type": "string", "minLength": 1},
                "spec": MAP | {"default": {}},
            },
            "required": ["apiVersion", "kind"],
        },
        "repetitions": integer(1, 0),
        "permutations": {
            "type": "object",
            "properties": {
                "product": {
                    "type": "object", "default": {},
                    "additionalProperties": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}},
                },
                "explicit": {"type": "array", "items": MAP, "default": []},
            },
        },
    },
}
REQUIRED = {"IPerf": ["duration", "streams"], "PyTorch": ["model"]}
PHASES = ["Unknown", "Preparing", "Pending", "Aborting", "Aborted", "Running", "Restarting", "Completing", "Summarising",
          "Completed", "Terminating", "Terminated", "Failed"]
# Of each status its fields beside those that all have, and the fields of what is inside.
POD = {"podIp", "nodeName", "nodeIp"}
STATUSES = {
    "IPerf": {"summaryResult": None, "result": {"streams", "sum"}, "clientLog": None, "serverPod": POD, "clientPod": POD},
    "MPIPingPong": {
        "bandwidthUnits": None, "timeUnits": None, "results": {"bytes", "repetitions", "time", "bandwidth"},
        "peakBandwidth": None, "minimumLatency": None, "masterLog": None, "masterPod": POD, "workerPods": POD,
    },
    "OpenFOAM": {"result": {"wallclockTime", "userTime", "sysTime"}, "masterPod": POD, "workerPods": POD},
    "RDMABandwidth": {
        "clientLog": None, "serverPod": POD, "clientPod": POD, "peakBandwidth": None,
        "results": {"bytes", "iterations", "peakBandwidth", "averageBandwidth", "messageRate"},
    },
    "RDMALatency": {
        "clientLog": None, "serverPod": POD, "clientPod": POD, "minimumAverageLatency": None,
        "results": {"bytes", "iterations", "minimum", "maximum", "typical", "average", "stdev", "percentile99",
                    "percentile999"},
    },
    "Fio": {
        "result": {"readBw", "readIops", "readLatNsMean", "readLatNsStddev", "writeBw", "writeIops", "writeLatNsMean",
                   "writeLatNsStddev"},
        "readBwResult": None, "writeBwResult": None, "readIopsResult": None, "writeIopsResult": None,
        "masterPod": POD, "workerPods": POD, "clientLog": None,
    },
    "PyTorch": {
        "gpuCount": None, "result": {"pytorchTime", "peakCpuMemory", "gpuTime", "peakGpuMemory", "gnuTime"},
        "wallTimeResult": None, "gpuTimeResult": None, "workerPod": POD, "clientLog": None,
    },
    "BenchmarkSet": {
        "permutationCount": None, "count": None, "completed": None, "succeeded": None, "failed": None, "finishedAt": None,
    },
}
# What the operator remembers beside.
OURS = {"observedGeneration", "conditions", "runId", "queue", "startTime", "completionTime", "jobs", "waiting", "running",
        "succeeded", "failed", "withdrawn", "workerPool"}
NETWORK = [("Host Network", "boolean", ".spec.hostNetwork"), ("Network Name", "string", ".spec.networkName"),
           ("MTU", "integer", ".spec.mtu", 1)]
STATUS = ("Status", "string", ".status.phase")
TIMES = [("Started", "date", ".status.startedAt"), ("Finished", "date", ".status.finishedAt")]
SERVER, CLIENT = (("Server IP", "string", ".status.serverPod.podIp", 1), ("Client IP", "string", ".status.clientPod.podIp", 1))
MASTER = ("Master IP", "string", ".status.masterPod.podIp", 1)
COLUMNS = {
    "IPerf": [*NETWORK, ("Duration", "integer", ".spec.duration"), ("Streams", "integer", ".spec.streams"), STATUS, SERVER,
              CLIENT, *TIMES, ("Result", "string", ".status.summaryResult")],
    "MPIPingPong": [*NETWORK, ("Transport", "string", ".spec.transport"), ("Maxlog", "integer", ".spec.maxlog"), STATUS,
                    MASTER, *TIMES, ("Peak Bandwidth", "string", ".status.peakBandwidth"),
                    ("Min latency", "string", ".status.minimumLatency")],
    "OpenFOAM": [*NETWORK, ("Transport", "string", ".spec.transport"), ("Problem Size", "string", ".spec.problemSize"),
                 ("Num Procs", "integer", ".spec.numProcs"), ("Num Nodes", "integer", ".spec.numNodes"), STATUS, MASTER,
                 *TIMES, ("Wall time", "number", ".status.result.wallclockTime")],
    "RDMABandwidth": [*NETWORK, ("Mode", "string", ".spec.mode"), ("QPs", "integer", ".spec.qps"),
                      ("Iterations", "string", ".spec.iterations"), STATUS, SERVER, CLIENT, *TIMES,
                      ("Peak Bandwidth", "string", ".status.peakBandwidth")],
    "RDMALatency": [*NETWORK, ("Mode", "string", ".spec.mode"), ("Iterations", "string", ".spec.iterations"), STATUS,
                    SERVER, CLIENT, *TIMES, ("Min Avg Latency", "string", ".status.minimumAverageLatency")],
    "Fio": [("Num Jobs", "integer", ".spec.numJobs"), ("Num Workers", "integer", ".spec.numWorkers"),
            ("RW", "string", ".spec.rw"), ("BS", "string", ".spec.bs"), ("Pct Read", "string", ".spec.rwmixread"),
            ("Pct Random", "string", ".spec.percentageRandom"), STATUS, *TIMES,
            ("Read Bandwidth", "string", ".status.readBwResult"), ("Read IOPS", "number", ".status.readIopsResult"),
            ("Write Bandwidth", "string", ".status.writeBwResult"), ("Write IOPS", "number", ".status.writeIopsResult")],
    "PyTorch": [("Model", "string", ".spec.model"), ("Benchmark Type", "string", ".spec.benchmarkType"),
                ("Device", "string", ".spec.device"), ("GPUs", "integer", ".status.gpuCount"),
                ("Batch Size", "integer", ".spec.inputBatchSize"), STATUS, *TIMES,
                ("Wall Time (s)", "number", ".status.wallTimeResult"), ("GPU Time (s)", "number", ".status.gpuTimeResult")],
    "BenchmarkSet": [("Permutations", "integer", ".status.permutationCount"), ("Repetitions", "integer", ".spec.repetitions"),
                     ("Count", "integer", ".status.count"), ("Succeeded", "integer", ".status.succeeded"),
                     ("Failed", "integer", ".status.failed"), ("Finished", "date", ".status.finishedAt")],
}
AGE = ("Age", "date", ".metadata.creationTimestamp")


def version(kind):
    (only,) = DEFINITIONS[kind]["versions"]
    return only


def root(kind):
    return version(kind)["schema"]["openAPIV3Schema"]


def test_there_are_the_eight_kinds():
    assert {kind: spec["names"]["plural"] for kind, spec in DEFINITIONS.items()} == PLURALS


@pytest.mark.parametrize("kind", PLURALS)
def test_the_frame_is_theirs(kind):
    spec = DEFINITIONS[kind]
    assert (spec["group"], spec["scope"]) == ("perftest.stackhpc.com", "Namespaced")
    assert spec["names"] == {"kind": kind, "listKind": kind + "List", "plural": PLURALS[kind], "singular": kind.lower(),
                             "categories": ["perftest"]}
    assert (version(kind)["name"], version(kind)["served"], version(kind)["storage"]) == ("v1alpha1", True, True)
    assert version(kind)["subresources"] == {"status": {}}
    assert root(kind)["x-kubernetes-preserve-unknown-fields"] is True
    assert root(kind)["required"] == ["spec"]
    for part in ("spec", "status"):  # unknown fields are pruned
        assert "x-kubernetes-preserve-unknown-fields" not in root(kind)["properties"][part]


@pytest.mark.parametrize("kind", PLURALS)
def test_each_field_of_the_spec_is_theirs(kind):
    spec = root(kind)["properties"]["spec"]
    fields = dict(spec["properties"])
    if kind in BENCHMARKS:
        image = fields.pop("image")
        # The one thing that is ours.
        assert image["default"].startswith("scalability-tester-") and image["minLength"] == 1
    assert fields == SPECS[kind] | (COMMON if kind in BENCHMARKS else {})
    assert spec.get("required", []) == REQUIRED.get(kind, [])


def inside(schema):
    """The names of the fields of an object, or of those in a list or map."""
    for key in ("items", "additionalProperties"):
        schema = schema.get(key, schema)
    return set(schema["properties"]) if "properties" in schema else None


@pytest.mark.parametrize("kind", PLURALS)
def test_each_field_of_the_status_is_theirs(kind):
    fields = dict(root(kind)["properties"]["status"]["properties"])
    if kind in BENCHMARKS:
        assert fields.pop("phase") == {"type": "string", "enum": PHASES, "default": "Unknown"}
        assert inside(fields.pop("managedResources")) == {"apiVersion", "kind", "name"}
        for name in ("priorityClassName", "startedAt", "finishedAt"):
            assert fields.pop(name)["type"] == "string"
        assert root(kind)["properties"]["status"]["default"]["phase"] == "Unknown"
    assert OURS <= set(fields)
    theirs = {name: schema for name, schema in fields.items() if name not in OURS - set(STATUSES[kind])}
    assert {name: inside(schema) for name, schema in theirs.items()} == STATUSES[kind]


@pytest.mark.parametrize("kind", PLURALS)
def test_the_columns_are_theirs(kind):
    columns = [tuple(column[key] for key in ("name", "type", "jsonPath", "priority") if key in column)
               for column in version(kind)["additionalPrinterColumns"]]
    assert columns == [*COLUMNS[kind], AGE]
