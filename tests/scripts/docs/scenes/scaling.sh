# Measured times, a validation of equal workers, and a run that varies streams.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
cp "$ROOT/tests/golden/scaling/osu-times.csv" .
for n in 1 2 4 8 16; do
  jq -n "{repeat: 1, workers: $n, throughput: ($n * 4.95), log_error: 0.005, steady: true}"
done | jq -s '{deployment: "scalability-tester-backend-sleep", windows: .}' >validation.json
cat >sweep.yaml <<'YAML'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: nightly}
spec:
  template: {kind: IPerf, spec: {duration: 1}}
  permutations: {product: {streams: [1, 2, 4]}}
YAML
frontend --store sqlite:runs.db iperf
for node in 1 2; do worker iperf "node-$node" -- iperf; done
await has_workers iperf 2
twofold run sweep.yaml --runid sweep >sweep.log 2>&1
