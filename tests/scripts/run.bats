#!/usr/bin/env bats
# twofold run --local with the real programs of build/dev (or $TWOFOLD_BIN).
# shellcheck disable=SC2154  # bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  export TMPDIR=$BATS_TEST_TMPDIR TWOFOLD_DIR=$BATS_TEST_TMPDIR/state
  cd "$BATS_TEST_TMPDIR" || return
  cat >f.yaml <<'END'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: local}
spec:
  template: {kind: Fio, spec: {numWorkers: 2}}
  permutations: {product: {rw: [read, write]}}
  repetitions: 2
END
  # Rank 0 shows its spec; the other one is ready, and there until it is stopped.
  cat >show <<'END'
#!/bin/sh
[ -z "${TWOFOLD_READY_FD:-}" ] || { echo ready >&"$TWOFOLD_READY_FD"; exec sleep 60; }
echo "$@"
END
  chmod +x show
}

@test "run --local starts what it needs, runs, and leaves nothing" {
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload "$PWD/show"
  [ "$status" -eq 0 ]
  [[ "$output" == *"rw     N  HEADLINE"* ]]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
  [[ "$stderr" == *"4/4 done"* ]]
  [ "$(find . -mindepth 1 | sort | xargs)" = "./f.yaml ./show" ]
}

@test "run --local --keep keeps the store" {
  "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/show" --runid once
  [ -s kept/store.db ]
  [ ! -e kept/cluster/lock ]
  run --separate-stderr "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/show" --runid once
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"there is a run once already; nothing is run"* ]]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
}

@test "jobs that fail fail the run, and their names are said" {
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload /bin/false --output json
  [ "$status" -eq 1 ]
  [ "$(jq '[.permutations[].jobs[] | select(.outcome == "failed")] | length' <<<"$output")" = 4 ]
  [[ "$stderr" == *"failed, permutation 1 repetition 1 (rw=read)"* ]]
}

@test "an interrupted run ends with its cluster" {
  cat >slow <<'END'
#!/bin/sh
exec sleep 60
END
  chmod +x slow
  "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/slow" 2>log &
  pid=$!
  for _ in $(seq 600); do
    ! grep -q "running" log || break
    sleep 0.05
  done
  grep -q "running" log
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 6 ]
  grep -q "the local cluster has ended" log
  [ ! -e kept/cluster/lock ]
}

@test "a benchmark with its own suite runs on this machine" {
  command -v fio >/dev/null || skip "no fio"
  run "$bin/twofold" run --local "$BATS_TEST_DIRNAME/../../examples/fio-quick.yaml"
  [[ "$output" != *"neither a built-in suite"* ]] || skip "twofold-backend does not run the suite fio"
  [ "$status" -eq 0 ]
  [[ "$output" == *"8 of 8 jobs succeeded"* ]]
}
