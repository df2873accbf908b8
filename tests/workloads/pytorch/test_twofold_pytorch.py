"""twofold-pytorch, run for real with models that are small: most tests in this process, as PyTorch takes seconds to load."""

import importlib.machinery
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import types
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[3] / "workloads" / "pytorch" / "twofold-pytorch"
PATIENCE = 120  # seconds, of machines with much else to do
SMALL = {
    "model": "llama", "device": "cpu", "benchmarkType": "eval", "inputBatchSize": 2, "runner": "twofold", "batches": 3,
    "seconds": 0, "warmup": 2, "threads": 1, "dtype": "float32", "seed": 1, "imageSize": 32, "sequenceLength": 8,
    "layers": 1, "width": 16, "heads": 2, "vocabulary": 50, "numWorkers": 1, "port": 0, "timeout": 60,
}  # fmt: skip

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no python3-torch")
needs_torchvision = pytest.mark.skipif(importlib.util.find_spec("torchvision") is None, reason="no python3-torchvision")


@pytest.fixture(scope="session")
def program():
    loader = importlib.machinery.SourceFileLoader("twofold_pytorch", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("twofold_pytorch", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


@pytest.fixture
def run(program):
    """The report of a run with these fields beside SMALL."""
    return lambda **fields: program.run(types.SimpleNamespace(**{**SMALL, **fields, "rank": 0}), None)


def start(fields, *gang, before="", **more):
    """The program in a process; `before` is Python that runs first, with the program as `program`."""
    load = f"import sys, importlib.machinery as m; sys.argv[0] = {str(PROGRAM)!r}; sys.dont_write_bytecode = True\n"
    load += f"program = m.SourceFileLoader('program', {str(PROGRAM)!r}).load_module()\n{before}\nprogram.main(sys.argv[1:])"
    arguments = [json.dumps({**SMALL, **fields}), *(json.dumps(each) for each in gang)]
    command = ["/usr/bin/python3", "-c", load, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def start_gang(size, fields, before=None):
    """A process a rank; `before` is what some do first."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {"own": "127.0.0.1", "first": "127.0.0.1", "port": port}
    fields = {"benchmarkType": "train", "numWorkers": size, **fields}
    return [start(fields, {"rank": rank, **place}, before=(before or {}).get(rank, "")) for rank in range(size)]


def ended(process):
    """Its report and its exit code."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    lines = out.splitlines()
    return (json.loads(lines[-1]) if lines else err), process.returncode


# ---- Runs


@needs_torch
def test_each_batch_has_its_time_and_those_before_are_apart(run):
    report = run(batches=5, warmup=3)
    assert len(report["batchNs"]) == 5 and len(report["warmupNs"]) == 2
    assert 0 < sum(report["batchNs"]) <= report["wallNs"]
    assert report["firstNs"] > 0 and report["importNs"] > 0 and report["buildNs"] > 0
    assert report["deviceNs"] == [] and report["devicePeakBytes"] == 0
    assert report["itemsPerBatch"] == 2 * 8 and report["unit"] == "tokens"
    assert report["settings"]["inputBatchSize"] == "2" and report["settings"]["sequenceLength"] == "8"
    assert report["peakBytes"] > 50e6 and report["threads"] == 1 and report["device"] and report["blas"]


@needs_torch
def test_seconds_end_it_but_never_without_a_batch(run):
    report = run(batches=100000, seconds=1)
    assert 1 <= len(report["batchNs"]) < 100000
    assert report["wallNs"] >= 1e9


@needs_torch
def test_training_makes_the_loss_smaller(run):
    report = run(benchmarkType="train", batches=40, vocabulary=10)
    assert report["lastLoss"] < report["firstLoss"]


@needs_torch
def test_the_same_seed_is_the_same_work(run):
    first, again, other = (run(benchmarkType="train", seed=seed)["lastLoss"] for seed in (1, 1, 2))
    assert first == again != other


@needs_torch
@pytest.mark.parametrize("kind", ["train", "eval"])
def test_bfloat16_runs(run, kind):
    assert len(run(benchmarkType=kind, dtype="bfloat16")["batchNs"]) == 3


# ---- The model llama


@needs_torch
def test_llama_has_as_many_parameters_as_its_shape_says(run):
    width, layers, vocabulary, hidden = 64, 3, 100, 256
    layer = 4 * width**2 + 3 * width * hidden + 2 * width
    assert run(width=width, layers=layers, vocabulary=vocabulary)["parameters"] == (
        2 * vocabulary * width + layers * layer + width
    )


@needs_torch
def test_llama_looks_back_and_never_ahead(program):
    import torch

    torch.manual_seed(7)
    model = program.make_llama(torch, types.SimpleNamespace(**SMALL)).eval()
    tokens = torch.randint(50, (1, 8))
    changed = tokens.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 50
    before, after = model(tokens), model(changed)
    assert torch.equal(before[0, :5], after[0, :5])
    assert not torch.allclose(before[0, 5:], after[0, 5:])


@needs_torch
def test_llama_tells_the_same_token_at_two_places_apart_by_their_distance(program):
    import torch

    model = program.make_llama(torch, types.SimpleNamespace(**SMALL)).eval()
    one, far = torch.tensor([[1, 2, 3, 3]]), torch.tensor([[2, 1, 3, 3]])
    model.cos, model.sin = model.cos[:4], model.sin[:4]
    assert not torch.allclose(model(one)[0, 3], model(far)[0, 3])


# ---- Models of torchvision


@needs_torchvision
@pytest.mark.parametrize(
    "model, kind, unit",
    [
        ("resnet18", "train", "images"),
        ("googlenet", "train", "images"),  # with auxiliary heads
        ("lraspp_mobilenet_v3_large", "train", "images"),  # a class a pixel
        ("r3d_18", "eval", "clips"),
    ],
)
def test_models_of_torchvision_run(run, model, kind, unit):
    report = run(model=model, benchmarkType=kind, batches=1, warmup=1)
    assert report["unit"] == unit and report["itemsPerBatch"] == 2 and report["parameters"] > 1e6
    assert report["torchvision"]


@needs_torchvision
def test_the_size_of_images_is_that_of_the_model_if_it_is_left_out(program):
    import torch
    import torchvision

    spec = types.SimpleNamespace(**{**SMALL, "imageSize": 0, "rank": 0})
    for model, size in (("squeezenet1_1", 224), ("inception_v3", 299)):
        spec.model = model
        assert program.torchvision_task(torch, spec, torchvision).inputs.shape[-1] == size


# ---- Failures


def failed(program, run, **fields):
    try:
        run(**fields)
    except Exception as error:
        return program.failure(error, types.SimpleNamespace(**{**SMALL, **fields}))["error"]
    return "it did not fail"


@needs_torchvision
def test_failures_are_told_apart(program, run):
    assert failed(program, run, model="resnet1").startswith("there is no model resnet1 for images in torchvision")
    assert failed(program, run, device="xpu").startswith("no xpu device: ")
    huge = {"vocabulary": 10**9, "width": 65536}
    assert failed(program, run, **huge).startswith("out of memory: ")


@needs_torch
def test_a_loss_that_is_no_number_is_a_failure(program, run, monkeypatch):
    monkeypatch.setattr(program, "cross_entropy", lambda torch, targets: lambda result: result.sum() * float("nan"))
    assert failed(program, run, benchmarkType="train") == "the loss of batch 1 is nan"


@needs_torch
def test_outputs_that_are_no_numbers_are_a_failure(program, run, monkeypatch):
    monkeypatch.setattr(program.Steps, "evaluate", lambda self: self.task.model(self.task.inputs) / 0)
    assert failed(program, run) == "outputs of the model are not finite"


def test_a_failure_is_a_report_and_an_exit_code():
    process = start({}, before="program.load = lambda spec: (_ for _ in ()).throw(ValueError('broken\\nheart'))")
    assert ended(process) == ({"error": "ValueError: broken"}, 1)


def test_a_spec_that_is_no_json_is_named():
    command = subprocess.run([PROGRAM, "{"], capture_output=True, text=True, timeout=PATIENCE)
    assert command.returncode == 1 and command.stderr.startswith("twofold-pytorch: SPEC is no JSON object")


# ---- Gangs


@needs_torch
def test_two_train_together_and_know_what_the_exchange_costs():
    reports = [ended(process) for process in start_gang(2, {"batches": 100000, "seconds": 1})]
    for rank, (report, code) in enumerate(reports):
        assert code == 0, report
        assert report["rank"] == rank and len(report["aloneNs"]) >= 2
    batches = [len(report["batchNs"]) for report, _ in reports]
    assert batches[0] == batches[1] >= 1  # nobody waits for a batch that never comes


@needs_torch
def test_a_member_that_dies_in_mid_run_ends_the_others():
    die = "import os\nwhole = program.Steps.run\ndef run(self):\n"
    die += "    if len(self.losses) > 1: os.kill(os.getpid(), 9)\n    return whole(self)\nprogram.Steps.run = run"
    first, second = start_gang(2, {"batches": 100000, "timeout": 3600}, before={1: die})
    assert ended(second)[1] == -signal.SIGKILL
    report, code = ended(first)
    assert code == 1 and report["peerIsGone"]
    assert report["error"].startswith("lost another member: RuntimeError: ")


@needs_torch
def test_a_member_that_never_comes_is_waited_for_no_longer_than_asked():
    first = start({"numWorkers": 2, "timeout": 1}, {"rank": 1, "own": "127.0.0.1", "first": "127.0.0.1", "port": 1})
    report, code = ended(first)
    assert code == 1 and report["peerIsGone"] and report["error"].startswith("the members did not meet within 1 s: ")


@needs_torch
def test_a_port_that_is_taken_is_named():
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        place = {"rank": 0, "own": "127.0.0.1", "first": "127.0.0.1", "port": taken.getsockname()[1]}
        report, code = ended(start({"numWorkers": 2, "timeout": 5}, place))
    assert code == 1 and not report["peerIsGone"] and "is in use at the first" in report["error"]


def test_the_interface_of_an_address_is_found(program):
    assert program.interface_of("127.0.0.1") == "lo"
    assert program.interface_of("192.0.2.1") is None


# ---- pytorch/benchmark


@pytest.fixture
def benchmark_folder(tmp_path):
    """A folder that looks like pytorch/benchmark; its run.py says how it was called."""
    (tmp_path / "torchbenchmark" / "models" / "alexnet").mkdir(parents=True)
    (tmp_path / "run.py").write_text("import sys\nprint(*sys.argv[1:])\n")
    return tmp_path


def call(spec, **environment):
    command = [PROGRAM, json.dumps({**SMALL, **spec})]
    environment = {**os.environ, "PATH": "/usr/bin:/bin", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)


def test_pytorch_benchmark_runs_where_it_is_named(benchmark_folder):
    done = call({"runner": "auto", "model": "alexnet", "benchmarkType": "train"}, TORCHBENCH=str(benchmark_folder))
    assert done.stdout == "alexnet -t train -d cpu --bs 2\n"
    assert "Command being timed" in done.stderr or not os.path.exists("/usr/bin/time")


def test_pytorch_benchmark_runs_where_it_is_on_path(benchmark_folder):
    done = call({"runner": "torchbench"}, PATH=f"/usr/bin:/bin:{benchmark_folder}")
    assert done.stdout == "llama -t eval -d cpu --bs 2\n"


def test_by_itself_it_is_taken_only_for_models_that_it_has(program, benchmark_folder, monkeypatch):
    monkeypatch.setenv("TORCHBENCH", str(benchmark_folder))
    folder = {
        (runner, model): program.torchbench_for(types.SimpleNamespace(runner=runner, model=model))
        for runner in ("auto", "torchbench", "twofold")
        for model in ("alexnet", "vit_b_16")
    }
    assert [each for each in folder if folder[each]] == [("auto", "alexnet"), ("torchbench", "alexnet"), ("torchbench", "vit_b_16")]


def test_pytorch_benchmark_that_is_missing_is_named():
    done = call({"runner": "torchbench"})
    assert done.returncode == 1 and json.loads(done.stdout)["error"].startswith("pytorch/benchmark is not here")


# ---- What a worker offers


@needs_torch
def test_versions_and_devices_are_said():
    shown = subprocess.run([PROGRAM, "--offer"], capture_output=True, text=True, timeout=PATIENCE)
    found = json.loads(shown.stdout)
    assert found["torch"] and found["devices"][0]["kind"] == "cpu" and found["devices"][0]["name"]
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=PATIENCE).stdout
    assert version.startswith("PyTorch ") and version.count("\n") == 1
