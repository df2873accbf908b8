#!/bin/sh
# A whole sweep through the real programs: 1000 permutations, 100 repetitions, 30 measurements each.
# How long until all is in the store, what the frontend takes in memory, how long `twofold results`
# takes. Usage: run.sh [REPETITIONS]; the programs are those of build/dev (or $TWOFOLD_BIN).
set -eu

repetitions=${1:-100}
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${TWOFOLD_BIN:-$root/build/dev/bin}
folder=$(mktemp -d "${TWOFOLD_BENCH_DIR:-.}/sweep-XXXXXX")
frontend='' worker=''
# shellcheck disable=SC2317  # the trap calls it
clean_up() {
  for pid in $worker $frontend; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

seconds() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(seconds)" 'BEGIN { printf "%.1f", to - from }'; }
memory() { awk '/^VmHWM/ { printf "%.0f MiB", $2 / 1024 }' "/proc/$frontend/status"; }

"$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 \
  --http-address 127.0.0.1:0 --ready-file "$folder/ready" --store "sqlite:$folder/jobs.db" fio \
  >"$folder/frontend.log" 2>&1 &
frontend=$!
for _ in $(seq 100); do
  [ ! -s "$folder/ready" ] || break
  sleep 0.1
done
clients=$(jq -r .client "$folder/ready")
"$bin/sweep_worker" "$(jq -r .worker "$folder/ready")" fio 64 2>"$folder/worker.log" &
worker=$!

list() { seq -s ', ' "$1"; }
cat >"$folder/sweep.yaml" <<END
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: sweep}
spec:
  template: {kind: Fio, spec: {rw: read}}
  permutations:
    product:
      iodepth: [$(list 100)]
      numJobs: [$(list 10)]
  repetitions: $repetitions
END

jobs=$((1000 * repetitions))
echo "frontend before: $(memory)"
begin=$(seconds)
"$bin/twofold" run "$folder/sweep.yaml" --runid sweep --detach --frontend "$clients"
echo "submitted: $(since "$begin") s"
ended() {
  "$bin/twofold" runs --frontend "$clients" --output json | jq '.[0].counts.ended.succeeded // 0'
}
while [ "$(ended)" -lt "$jobs" ]; do
  kill -0 "$frontend" "$worker"
  sleep 0.5
done
echo "all in the store: $(since "$begin") s"
echo "frontend at most: $(memory)"
begin=$(seconds)
rows=$("$bin/twofold" results sweep --csv --frontend "$clients" | wc -l)
echo "twofold results: $(since "$begin") s, $rows rows"
echo "frontend at most: $(memory)"
echo "store: $(du -m "$folder/jobs.db" | cut -f 1) MiB"
