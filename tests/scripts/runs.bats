#!/usr/bin/env bats
# How far a run is: the same from a frontend, its pages and its file, each job counted once.

bats_require_minimum_version 1.5.0

load helpers.bash

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  cd "$BATS_TEST_TMPDIR" || return
  cat >f.yaml <<'END_OF_FILE'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: set}
spec:
  template: {kind: Fio}
  permutations: {product: {rw: [read, write], bs: [4k, 8k]}}
  repetitions: 3
END_OF_FILE
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready --store sqlite:jobs.db fio 2>frontend.log 3>&- &
  frontend=$!
  soon test -e ready
}

teardown() {
  kill "$frontend" || return 0
  wait "$frontend" || true
}

twofold() { "$bin/twofold" "$@" --frontend "$(jq -r .client ready)"; }

# STATE JOBS PLANNED WAITING RUNNING SUCCEEDED FAILED WITHDRAWN of the only run, by all who say it.
is() {
  local page
  page=$(curl -fsS "http://$(jq -r .http ready)/api/v1/runs" | jq -c '.runs[0]')
  [ "$(twofold runs --output json | jq -c '.[0]')" = "$page" ]
  [ "$("$bin/twofold" runs --store jobs.db --output json | jq -c '.[0]')" = "$page" ]
  [ "$(jq -r .state <<<"$page")" = "$1" ]
  for row in "$(twofold runs | sed -n 2p)" "$("$bin/twofold" runs --store jobs.db | sed -n 2p)"; do
    read -r _ _ state jobs planned waiting running succeeded failed withdrawn _ <<<"$row"
    [ "$state $jobs $planned $waiting $running $succeeded $failed $withdrawn" = "$*" ]
  done
}

@test "a run is deleted with its jobs when all of them have ended, and not before" {
  twofold run f.yaml --runid one --detach --unchecked
  run twofold run delete one
  [ "$status" -eq 5 ]
  [[ "$output" == *"12 jobs of the run wait or run; cancel it first"* ]]
  twofold cancel one
  [ "$(twofold run delete one --output json | jq .jobs)" = 12 ]
  [ "$(twofold runs --output json)" = '[]' ]
  run twofold run delete one
  [ "$status" -eq 3 ]
}

@test "a paused run is paused, and a job that was submitted again is still one" {
  twofold run f.yaml --runid one --detach --unchecked
  is waiting 12 0 12 0 0 0 0
  twofold run --pause one
  is paused 12 0 0 0 0 0 12
  twofold run --resume one --detach --unchecked
  is waiting 12 0 12 0 0 0 0
  twofold cancel one
  is cancelled 12 0 0 0 0 0 12
  [ "$(twofold results one --json | jq -c '[.permutations[] | [.failed, .withdrawn]] | unique')" = '[[0,3]]' ]
}
