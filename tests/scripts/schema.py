"""Compares a JSON schema with `twofold expand`: schema.py SCHEMA TWOFOLD EXAMPLES."""

import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

ONE = "apiVersion: twofold/v1\nkind: {}\nmetadata: {{name: one}}\nspec: {}\n"
SET = (
    "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {{name: set}}\n"
    "spec:\n  template: {{kind: {}, spec: {}}}\n  {}\n"
)
OBJECT = "apiVersion: twofold.dev/v1alpha1\nkind: Benchmark\nmetadata: {{name: {}}}\nspec: {}\n"

GOOD = [
    ONE.format("IPerf", "{streams: 128, protocol: UDP, image: a/b, hostNetwork: 'on', mtu: null}"),
    ONE.format("Fio", "{bs: 4096, size: 10G, runtime: 30s, volumeClaimTemplate: {a: [1]}}"),
    ONE.format("OSU", "{tests: [osu_bw], timed: true}"),
    ONE.format("Media", "{input: a.mp4, outputs: [{codec: av1, width: 640, height: 360}]}"),
    ONE.format("PyTorch", "{model: alexnet, inputBatchSize: 8}"),
    ONE.format("ObjectStorage", "{bucket: b, minsize: 64K, perm-shuffle-max: 5, rate: 2.5, mtu: 1500}"),
    ONE.format("ObjectStorage", "{bucket: b, readoff: 0, readlen: '0', loaderid: 0}"),
    "apiVersion: twofold/v1\nkind: IPerf\nmetadata: {name: one}\n",
    "apiVersion: twofold/v1\nkind: IPerf\nmetadata: {name: one, runid: 7, queue: pairs}\n",
    SET.format("IPerf", "{}", "permutations: {product: {streams: [1, 2], resources: [{cpu: 1}]}}"),
    SET.format("PyTorch", "{}", "permutations: {explicit: [{model: llama}]}"),
    SET.format("IPerf", "{}", "until: {relativeInterval: 3%, max: 9}"),
    SET.format("IPerf", "{}", "timeLimits: {job: 90, run: 2.5h}"),
    OBJECT.format("a", "{template: {kind: GPU, spec: {seconds: '0.5'}}, permutations: {product: {gflop: ['1.5', 2]}}}"),
    OBJECT.format("a.b-c", "{template: {kind: IPerf}, queue: pairs, suspend: true, activeDeadlineSeconds: 60}"),
    OBJECT.format("a, namespace: b", "{template: {kind: IPerf, spec: {resources: {limits: {cpu: 0.5}}}}}"),
]

BAD = [
    ONE.format("Iperf", "{}"),
    ONE.format("IPerf", "{streams: 129}"),
    ONE.format("IPerf", "{streams: '1'}"),
    ONE.format("IPerf", "{stream: 1}"),
    ONE.format("IPerf", "{protocol: udp}"),
    ONE.format("IPerf", "{reverse: maybe}"),
    ONE.format("IPerf", "{hostnetwork: true}"),
    ONE.format("IPerf", "{mtu: 0}"),
    ONE.format("IPerf", "[1]"),
    ONE.format("Fio", "{bs: 4X}"),
    ONE.format("Fio", "{runtime: 30}"),
    ONE.format("Fio", "{directory: ''}"),
    ONE.format("OSU", "{tests: osu_bw}"),
    ONE.format("OSU", "{tests: ['']}"),
    ONE.format("Media", "{input: a.mp4, outputs: [{codec: vp9}]}"),
    ONE.format("Media", "{input: a.mp4, outputs: [{width: 640, heigth: 360}]}"),
    ONE.format("PyTorch", "{}"),
    ONE.format("PyTorch", "{model: alexnet, inputBatchSize: 7}"),
    ONE.format("ObjectStorage", "{bucket: b, mtu: big}"),
    ONE.format("ObjectStorage", "{bucket: b, minsize: 0}"),
    "apiVersion: twofold/v2\nkind: IPerf\nmetadata: {name: one}\n",
    "apiVersion: twofold/v1\nkind: IPerf\nmetadata: {name: a b}\n",
    "apiVersion: twofold/v1\nkind: IPerf\nmetadata: {name: one, runid: [7]}\n",
    "apiVersion: twofold/v1\nkind: IPerf\n",
    "apiVersion: twofold/v1\nkind: PyTorch\nmetadata: {name: one}\n",
    "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\n",
    SET.format("Iperf", "{}", ""),
    SET.format("IPerf", "{streems: 1}", ""),
    SET.format("IPerf", "{}", "permutations: {product: {streems: [1]}}"),
    SET.format("IPerf", "{}", "permutations: {product: {streams: []}}"),
    SET.format("IPerf", "{}", "permutations: {product: {streams: [0]}}"),
    SET.format("IPerf", "{}", "permutations: {explicit: [{strems: 1}]}"),
    SET.format("IPerf", "{}", "order: sideways"),
    SET.format("IPerf", "{}", "repetitions: 0"),
    SET.format("IPerf", "{}", "until: {max: 9}"),
    SET.format("IPerf", "{}", "timeLimits: {job: 30x}"),
    SET.format("IPerf", "{}", "suspend: true"),
    OBJECT.format("A", "{template: {kind: IPerf}}"),
    OBJECT.format("a, queue: q", "{template: {kind: IPerf}}"),
    OBJECT.format("a", "{template: {kind: GPU, spec: {seconds: 0.5}}}"),
    OBJECT.format("a", "{template: {kind: IPerf, apiVersion: twofold/v1}}"),
    OBJECT.format("a", "{template: {kind: IPerf}, timeLimits: {job: 2.5}}"),
    OBJECT.format("a", "{template: {kind: IPerf, spec: {streams: '4'}}}"),
    OBJECT.format("a", "{template: {kind: IPerf}, activeDeadlineSeconds: 0}"),
    OBJECT.format("a", "{template: {kind: IPerf}, schedule: ''}"),
    "apiVersion: twofold/v1\nkind: Benchmark\nmetadata: {name: a}\nspec: {template: {kind: IPerf}}\n",
    "apiVersion: twofold.dev/v1alpha1\nkind: IPerf\nmetadata: {name: a}\n",
]


def main(schema_path, twofold, examples):
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    # Those of the operator are objects, which its own tests expand.
    files = [path for path in sorted(pathlib.Path(examples).rglob("*.yaml")) if path.parent.name != "operator"]
    examples = [path.read_text() for path in files]
    wrong = 0
    for text, good in [(t, True) for t in GOOD + examples] + [(t, False) for t in BAD]:
        expanded = subprocess.run([twofold, "expand", "/dev/stdin"], input=text, capture_output=True, text=True)
        by_schema = validator.is_valid(yaml.safe_load(text))
        if by_schema == good and (expanded.returncode == 0) == good:
            continue
        wrong += 1
        print(f"should be {'taken' if good else 'refused'}:\n{text}schema takes it: {by_schema}\n"
              f"twofold expand: {expanded.returncode} {expanded.stderr}")
    print(f"{len(GOOD) + len(examples)} good documents, {len(BAD)} bad ones, {wrong} judged wrongly")
    return 1 if wrong or not examples else 0


sys.exit(main(*sys.argv[1:]))
