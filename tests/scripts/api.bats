#!/usr/bin/env bats
# The frontend's HTTP API and the command line print the same JSON for the same thing, byte for byte.

bats_require_minimum_version 1.5.0

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  cd "$BATS_TEST_TMPDIR" || return
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready --store sqlite:jobs.db --durable kept kept fio 2>frontend.log 3>&- &
  frontend=$!
  soon test -e ready
  NAME=pod-1 "$bin/twofold-backend" --frontend "$(jq -r .worker ready)" --queue kept --pod-env NAME --slots 2 --backoff 0.1 \
    --label gpu=a100 --label zone=1 -- /bin/sh -c 'echo out' 2>backend.log 3>&- &
  backend=$!
  soon is_there
}

teardown() {
  kill "$backend" "$frontend" || true
  wait "$backend" "$frontend" || true
}

# soon COMMAND...: until it succeeds.
soon() {
  for _ in $(seq 200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  cat frontend.log backend.log >&2
  return 1
}

twofold() { "$bin/twofold" "$@" --frontend "$(jq -r .client ready)" --output json; }
page() { curl -fsS "http://$(jq -r .http ready)/api/v1/$1"; }
is_there() { [ "$(twofold worker list | jq length)" = 1 ]; }

# list PATH KEY COMMAND...: what the page has under KEY is the list that the command prints.
list() {
  local printed
  printed=$("$bin/twofold" "${@:3}" --output json --frontend "$(jq -r .client ready)")
  [ "$(jq length <<<"$printed")" -gt 0 ]
  [[ "$(page "$1")" == "{\"$2\":$printed"* ]]
}

@test "queues, workers and jobs" {
  id=$(twofold job submit kept --wait | jq -r .id)
  [ "$(twofold job get "$id" | jq -r '.outcome + .report.output')" = "succeededout" ]
  list queues queues queues
  list workers workers worker list
  list 'jobs?finished=true' jobs job list --finished
  [ "$(page "jobs/$id")" = "$(twofold job get "$id")" ]
  [ "$(page 'jobs?queue=fio')" = '{"jobs":[],"next_page_token":""}' ]
  run curl -s -o /dev/null -w '%{http_code}' "http://$(jq -r .http ready)/api/v1/jobs/17"
  [ "$output" = 404 ]
  run curl -s -o /dev/null -w '%{http_code}' "http://$(jq -r .http ready)/api/v1/jobs/x"
  [ "$output" = 400 ]
}

@test "runs, a run and its results, of a frontend and of its file" {
  cat >f.yaml <<'END_OF_FILE'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: set}
spec:
  template: {kind: Fio}
  permutations: {product: {rw: [read, write]}}
  repetitions: 2
END_OF_FILE
  "$bin/twofold" run f.yaml --runid one --detach --unchecked --frontend "$(jq -r .client ready)"
  "$bin/twofold" run --pause one --frontend "$(jq -r .client ready)"
  list runs runs runs
  list runs runs runs --store jobs.db
  run_json=$(page runs/one)
  [ "$(jq -r .state <<<"$run_json")" = paused ]
  results=$(twofold results one | tr -d '\n')
  [[ "$results" == "{\"run\":$run_json,\"permutations\":[{"* ]]
  [ "$(page runs/one/results)" = "${results%\}},\"next\":3}" ]
  [ "$("$bin/twofold" results one --store jobs.db --json | tr -d '\n')" = "$results" ]
}

@test "the same table for people, spreadsheets and pages" {
  [[ "$(page queues | jq -r '.queues[0].name')" == kept ]]
  run "$bin/twofold" queues --frontend "$(jq -r .client ready)" --output csv
  [ "${lines[0]}" = "name,state,waiting,running,oldest_waiting_seconds,workers.idle,workers.busy,finished.succeeded,other_ends,delayed,key_limited,gangs_waiting,workers_reserved,workers_paused,frontend,store_trouble" ]
  [ "${lines[1]}" = "kept,open,0,0,0,2,0,0,0,0,0,0,0,0,," ]
  run "$bin/twofold" queues --frontend "$(jq -r .client ready)" --output markdown
  [ "${lines[0]}" = "| QUEUE | STATE | WAITING | RUNNING | OLDEST S | IDLE | BUSY | SUCCEEDED | OTHER ENDS |" ]
  [ "${lines[2]}" = "| kept | open | 0 | 0 | 0.0 | 2 | 0 | 0 | 0 |" ]
  run "$bin/twofold" job explain 1 --frontend "$(jq -r .client ready)" --output csv
  [ "$status" = 2 ]
}
