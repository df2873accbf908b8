#!/usr/bin/env bats
# twofold load with the real programs of build/dev (or $TWOFOLD_BIN).

bats_require_minimum_version 1.5.0
load helpers.bash

setup_file() {
  bin=$(realpath "${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}")
  export bin TWOFOLD_DIR="$BATS_FILE_TMPDIR/state"
  "$bin/twofold" local up --free-ports --queues sleep=0.02 3>&-
  "$bin/twofold" local scale backend-sleep 4 --wait
}

teardown_file() { "$bin/twofold" local down; }

setup() {
  export TMPDIR=$BATS_TEST_TMPDIR/tmp
  mkdir "$TMPDIR" "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
}

load_of() { "$bin/twofold" load --queue sleep "$@"; }

@test "a closed loop says what came of it, to people, as JSON and as CSV" {
  run --separate-stderr load_of --parallel 4 --duration 3s --json load.json --csv load.csv --html load.html -- 0.02
  [ "$status" -eq 0 ]
  [[ "$output" == *"throughput: "*"95 %"* && "$output" == *" succeeded, 0 failed, 0 rejected"* ]]
  [[ "$output" == *P99.9* ]]
  jq -e '.queue == "sleep" and .verdict == "pass" and .ended_because == "duration"
    and .result.throughput > 50 and (.origin.argv | index("--parallel")) != null
    and (.origin.program | startswith("twofold "))' load.json
  head -n 1 load.csv | grep -q '^second,planned,sent,succeeded'
  [ "$(wc -l <load.csv)" -ge 3 ]
  grep -q '<svg' load.html
}

@test "an open loop keeps its rate, and JSON goes to standard output" {
  run --separate-stderr load_of --rate 50 --arrivals poisson --seed 3 --duration 3s --output json -- 0.005
  [[ "$status" -eq 0 || "$status" -eq 8 ]]  # a busy machine sends late, and says so
  jq -e '.result.throughput > 30 and .result.throughput < 80 and .seed == "3"' <<<"$output"
}

@test "a limit that is not kept has an exit code of its own, and all of them are told" {
  run load_of --parallel 2 --duration 2s --fail-if 'p50>1ms' --fail-if 'errors>0' --json load.json -- 0.02
  [ "$status" -eq 7 ]
  [[ "$output" == *"NOT KEPT: --fail-if p50>1ms: it is "*" ms"* && "$output" == *"kept: --fail-if errors>0"* ]]
  jq -e '.verdict == "fail" and (.limits | map(.met // false)) == [false, true]' load.json
}

@test "a percentile of too few jobs decides no limit, unless its value is to" {
  run load_of --parallel 2 --duration 2s --fail-if 'p99.9>1m' --json load.json -- 0.02
  [ "$status" -eq 9 ]
  [[ "$output" == *"p99.9 of "*" jobs: too few, 3688 are needed"* && "$output" == *"UNDECIDED: --fail-if p99.9>1m"* ]]
  jq -e '.verdict == "undecided" and (.result.from_plan.percentiles | map(.share)) == [0.5, 0.9, 0.99, 0.999]' load.json
  load_of --parallel 2 --duration 2s --fail-if 'p99.9>1m' --lenient -- 0.02
}

@test "it ends after so many jobs, and when the throughput is known well enough" {
  run load_of --parallel 4 --jobs 40 --json load.json -- 0.01
  [ "$status" -eq 0 ]
  jq -e '.ended_because == "jobs" and (.result.succeeded | tonumber) >= 40' load.json
  run load_of --parallel 4 --until 10% --json load.json -- 0.02
  [ "$status" -eq 0 ]
  jq -e '.ended_because == "until" and .seconds < 60 and (.result.succeeded | tonumber) >= 500' load.json
}

@test "what the frontend counts agrees with the record, job by job" {
  pages=$("$bin/twofold" local status | grep -m 1 -o 'http://[0-9.:]*')
  counted() { curl -s --noproxy '*' "$pages/metrics" | awk -v name="$1" 'index($1, name) == 1 { sum += $2 } END { print sum + 0 }'; }
  ended() { counted 'twofold_jobs_finished_total{queue="sleep",'; }
  before=$(ended) ran=$(counted 'twofold_job_run_seconds_count{queue="sleep"}') waited=$(counted 'twofold_job_wait_seconds_count{queue="sleep"}')
  load_of --rate 300 --duration 2s --limit 0.05 --json load.json -- bimodal:0.01,10,10% || [ $? -eq 8 ]
  jq -e '[.result.jobs, .warm_up] | all((.planned | tonumber) == (.sent | tonumber)
    and (.sent | tonumber) == (.succeeded | tonumber) + (.failed | tonumber) + (.rejected | tonumber))' load.json
  sent=$(jq '[.result.jobs, .warm_up] | map(.sent | tonumber) | add' load.json)
  unanswered=$(jq '[.result.jobs, .warm_up] | map(.unanswered | tonumber) | add' load.json)
  [ "$sent" -eq 600 ]
  jq -e '(.result.jobs.timed_out | tonumber) > 0' load.json
  all_counted() { [ $(($(ended) - before)) -eq "$sent" ]; } # those without an answer are given up
  soon all_counted
  [ "$unanswered" -gt 0 ] || [ $(($(counted 'twofold_job_run_seconds_count{queue="sleep"}') - ran)) -eq "$sent" ]
  [ "$unanswered" -gt 0 ] || [ $(($(counted 'twofold_job_wait_seconds_count{queue="sleep"}') - waited)) -eq "$sent" ]
}

@test "jobs that hang are unanswered, and break limits by their age" {
  run load_of --parallel 4 --duration 3s --drain 0.5 --warm-up 0 --fail-if 'max>2s' --fail-if 'errors>0' --json load.json -- bimodal:0.02,1000,5%
  [ "$status" -eq 7 ]
  [[ "$output" == *"NOT KEPT: --fail-if max>2s: it is at least "* && "$output" == *"NOT KEPT: --fail-if errors>0"* ]]
  [[ "$output" == *"had no answer"* && "$output" == *">= "* ]]
}

@test "throughput is what the workers did, however many jobs wait" {
  load_of --rate 400 --duration 4s --warm-up 0 --drain 0.1 --json load.json -- 0.02 || [ $? -eq 8 ] # four workers do 200 /s at most
  jq -e '.result.throughput < 202 and .result.throughput > 60' load.json
}

@test "due jobs that are never sent, and a precision that is not reached, are said" {
  run load_of --rate 500 --duration 2s --outstanding-max 4 -- 0.05
  [ "$status" -eq 8 ]
  [[ "$output" == *" more were due and never sent"* ]]
  run load_of --parallel 2 --duration 1s --until 0.001% -- exponential:0.05
  [ "$status" -eq 7 ]
  [[ "$output" == *"--until: the throughput was not known within 0.001 %"* ]]
}

@test "two loads that share a queue notice each other" {
  load_of --parallel 2 --duration 3s --json one.json -- 0.02 >out 2>&1 3>&- &
  pid=$!
  run load_of --parallel 2 --duration 3s --json other.json -- 0.02
  [ "$status" -eq 8 ]
  [[ "$output" == *"jobs of others"* ]]
  code=0
  wait "$pid" || code=$?
  [ "$code" -eq 8 ]
  jq -e '.result.steady | not' one.json
}

@test "Ctrl-C ends it early, and what was measured is kept" {
  "$bin/twofold" load --queue sleep --parallel 4 --duration 60s --warm-up 0.5 --json load.json -- 0.02 >out 2>err 3>&- &
  pid=$!
  soon grep -q "outstanding" err
  kill -INT "$pid"
  code=0
  wait "$pid" || code=$?
  [ "$code" -eq 130 ]
  grep -q "throughput: " out
  jq -e '.ended_because == "interrupted" and .result.throughput > 0' load.json
}

@test "a second Ctrl-C ends the wait for answers" {
  "$bin/twofold" load --queue sleep --parallel 4 --duration 60s --warm-up 0.1 -- 1000 >out 2>err 3>&- &
  pid=$!
  soon grep -q "outstanding" err
  SECONDS=0
  for _ in $(seq 40); do
    kill -INT "$pid" 2>/dev/null || break
    sleep 0.1
  done
  code=0
  wait "$pid" || code=$?
  [ "$SECONDS" -lt 8 ] # answers are awaited for 10 s
  [ "$code" -eq 130 ]
}

@test "failed jobs are errors, and a load of nothing else fails" {
  run load_of --parallel 1 --duration 2s -- nonsense
  [ "$status" -eq 1 ]
  [[ "$output" == *"jobs has succeeded: "*"'nonsense' is not a time"* ]]
}

@test "each exit code of the table in docs/load.md is one that a test here has seen" {
  codes=$(sed -n '/^| exit code |/,/^$/p' "$BATS_TEST_DIRNAME/../../docs/load.md" | sed -n 's/^| \([0-9, ]*\) |.*/\1/p' | tr -d ,)
  [ "$(wc -w <<<"$codes")" -ge 10 ]
  for code in $codes; do
    grep -qE "(status|code)\" -eq $code \]" "$BATS_TEST_FILENAME" || { echo "no test ends with $code"; return 1; }
  done
}

@test "a queue that takes no jobs refuses a load" {
  "$bin/twofold" queue drain sleep
  run load_of --parallel 1 --duration 1s -- 0.01
  "$bin/twofold" queue resume sleep
  [ "$status" -eq 5 ]
  [[ "$output" == *"queue sleep took none of "*": it drains or is full"* ]]
}

@test "what is wrong is said before anything is measured" {
  run load_of
  [ "$status" -eq 2 ]
  run "$bin/twofold" load --queue slep --parallel 1
  [ "$status" -eq 3 ]
  [[ "$output" == *"no queue 'slep'"*"sleep"* ]]
  run load_of --parallel 1 --fail-if 'speed>1'
  [ "$status" -eq 2 ]
  run load_of --parallel 1 --json /no/such/folder/x
  [ "$status" -eq 2 ]
  run "$bin/twofold" load --queue sleep --parallel 1 --frontend 127.0.0.1:1
  [ "$status" -eq 4 ]
  run "$bin/twofold" load --local -- /no/such/program
  [ "$status" -eq 2 ]
  [[ "$output" == *"/no/such/program"* ]]
  [ -z "$(ls -A "$TMPDIR")" ]
}

@test "what stands behind -- is the program's, and a program is found as a shell finds it" {
  printf '#!/bin/sh\necho "$@" >>words\n' >my-program
  chmod +x my-program
  "$bin/twofold" load --local --jobs 1 --warm-up 0 --fail-if 'errors>0' -- ./my-program --duration 1s -- '[a,b]'
  [ "$(sort -u words)" = "--duration 1s -- [a,b]" ]
  rm words
  PATH=$PWD:$PATH "$bin/twofold" load --local --jobs 1 --warm-up 0 --fail-if 'errors>0' -- my-program
  [ -e words ]
  "$bin/twofold" load --local --jobs 1 --warm-up 0 --fail-if 'errors>0' --shell './my-program "$1" | tr a b' -- one
  grep -q one words
  run "$bin/twofold" load --local -- no-such
  [ "$status" -eq 2 ]
  [[ "$output" == *"'no-such' is not in PATH ($PATH)"* ]]
}

@test "a cluster of its own measures how a program scales, and leaves nothing" {
  run --separate-stderr "$bin/twofold" load --local --slots 1,4 --duration 3s --json load.json -- /bin/sleep 0.05
  [ "$status" -eq 0 ]
  [[ "$output" == *"SLOTS"*"EFFICIENCY %"* ]]
  jq -s -e '.[1].result.throughput / .[0].result.throughput | . > 2 and . < 6' load-1.json load-4.json
  [ -z "$(ls -A "$TMPDIR")" ]
}

@test "a cluster of its own dies with a load that is killed" {
  "$bin/twofold" load --local --slots 2 --duration 60s -- /bin/sleep 0.05 >out 2>err 3>&- &
  pid=$!
  soon grep -q outstanding err
  folder=$(ls -d "$TMPDIR"/twofold-load-*)
  kill -9 "$pid"
  gone() { [ ! -e "$folder" ]; }
  soon gone
  run ! pgrep -f "$folder"
}
