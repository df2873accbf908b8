# A sweep whose last job failed, a run of sleeps, a job that runs and one that waits.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
export STORE=$PWD/jobs.db
cat >sweep.yaml <<'YAML'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: sweep}
spec:
  template: {kind: IPerf, spec: {duration: 2}}
  permutations: {product: {streams: [1, 2], port: [5201, 9998]}}
  repetitions: 2
YAML
frontend --store sqlite:jobs.db iperf sleep
for node in 1 2; do worker iperf "node-$node" -- iperf; done
worker sleep node-1 -- sleep 0.1
await has_workers iperf 2
await has_workers sleep 1
twofold run sweep.yaml --runid sweep >sweep.log 2>&1  # port 9998 is taken: these fail
for _ in 1 2 3; do twofold job submit sleep --durable --run nightly --wait -- 0.05; done >/dev/null
for _ in 1 2; do twofold job submit sleep --durable -- 600 >/dev/null; done
some_run() { [ -n "$(sqlite3 -readonly jobs.db 'SELECT 1 FROM running, waiting')" ]; }
await some_run
