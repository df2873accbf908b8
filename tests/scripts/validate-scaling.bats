#!/usr/bin/env bats
# validate-scaling.sh against a scripted cluster: see stubs/world.sh for what can go wrong.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export STUB="$BATS_TEST_TMPDIR"
  export PATH="$BATS_TEST_DIRNAME/stubs:$PATH"
  export TWOFOLD_JSON="$STUB/result.json"
}

# validate [OPTION]...: 1 to 4 (or $limit) workers with kubectl, limit 1.8.
validate() {
  timeout 60 "$root/validate-scaling.sh" "$@" scalability-tester-backend-sleep monitoring 2 \
    scalability-tester-client-sleep validation "${limit:-4}" 1.8
}

local_cluster() {
  [ -e "$STUB/secret" ] || echo 0123456789abcdef >"$STUB/secret"
  printf '{"pid": 1, "http": "s:1"}\n' >"$STUB/supervisor.json"
}

# The same with the local cluster in $STUB.
validate_local() {
  local_cluster
  TWOFOLD_DIR=$STUB timeout 60 "$root/validate-scaling.sh" "$@" scalability-tester-backend-sleep localhost 0.2 \
    scalability-tester-client-sleep localhost 4 1.8
}

json() { jq -r "$1" "$STUB/result.json"; }

# in_background: starts a validation that takes long, and waits until its first step is measured.
in_background() {
  STUB_SLEEP=60 "$root/validate-scaling.sh" scalability-tester-backend-sleep monitoring 2 \
    scalability-tester-client-sleep validation 4 1.8 3>&- &
  pid=$!
  for _ in $(seq 400); do
    grep -qs window "$STUB/calls" && break
    /bin/sleep 0.05
  done
}

state() { cat "$STUB/$1"; }
untouched() { [ ! -e "$STUB/replicas" ] && [ ! -e "$STUB/parallel" ]; }
scaled_back() { [ "$(state replicas)" = 1 ] && [ "$(state parallel)" = 0 ]; }

@test "passes when the throughput doubles" {
  run validate
  [ "$status" -eq 0 ]
  [[ "$output" == *"Throughput: 1.000000 -> 2.000000 = 2.00 increase on reqs-per-sec (pods: 2)"* ]]
  [[ "$output" == *"Throughput: 2.000000 -> 4.000000 = 2.00 increase on reqs-per-sec (pods: 4)"* ]]
  [[ "$output" == *"*** PASS ***" ]]
  [[ "$output" == *"Result: $STUB/result.json"* ]]
  [[ "$output" == *"node-1"* ]]
  scaled_back
}

@test "scales to the limit, to 0, then step by step, then back to 1" {
  validate
  [ "$(grep -o 'replicas=[0-9]*' "$STUB/calls" | tr '\n' ' ')" = \
    "replicas=4 replicas=0 replicas=1 replicas=2 replicas=4 replicas=1 " ]
  [ "$(grep -o 'parallel?value=[0-9]*' "$STUB/calls" | tr '\n' ' ')" = \
    "parallel?value=0 parallel?value=1 parallel?value=2 parallel?value=4 parallel?value=0 " ]
}

@test "of several frontends the one that serves the queue is asked, and one that is away does not matter" {
  STUB_FRONTENDS=3 run validate
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [[ "$output" == *"*** PASS ***" ]]
  [[ "$output" != *"stub: Error"* ]]
  run ! grep -q services/scalability-tester-frontend "$STUB/calls"
  [ "$(json .frontend)" = "0.1.0 (5f3c2ab)" ]
}

@test "the workers of all shards of a queue count" {
  STUB_SHARDS=1 STUB_FRONTENDS=2 run validate
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [[ "$output" == *"*** PASS ***" ]]
}

@test "a queue that none of several frontends has is named" {
  STUB_FRONTENDS=2 run validate --queue media
  [[ "$output" == *"the frontend has no queue 'media'"* ]]
}

@test "writes the result as JSON" {
  validate
  [ "$(jq -c '[.steps[] | [.workers, .ratio == 2, .failed_jobs]]' "$STUB/result.json")" = "[[1,false,0],[2,true,0],[4,true,0]]" ]
  [ "$(jq -r '.pass, .fails, .steps[2].verdict' "$STUB/result.json" | tr '\n' ' ')" = "true 0 pass " ]
}

@test "says where the time of jobs went, what workers used and why" {
  run validate
  [[ "$output" == *"workers     throughput    ratio   interval             verdict     wait s    run s  over. s   cores"* ]]
  [[ "$output" == *"       4          4.000    2.000   1.994 .. 2.006       pass        0.0005      0.2  0.00125       2"* ]]
  [[ "$output" == *'Why: workers "contend" for CPU.'* ]]
  [ "$(json '.windows[2] | [.cpu, .throttled, .wait, .run, .overhead, .run_p99, .run_p99_lower, .run_p99_upper, .round_trip_p99,
    .round_trip_p99_lower, .round_trip_p99_upper, .spread, .jobs, .degrees] | @csv')" = \
    "2,0.25,0.0005,0.2,0.00125,0.21,0.205,0.24,0.22,0.215,,0.01,1000,15" ]
  [ "$(json '.windows[2].nodes | map([.node, .workers, .jobs, .run]) | tojson')" = \
    '[["node-1",4,1000,0.2],["a \"quoted\" node",1,7,null]]' ]
  [ "$(json .why)" = 'workers "contend" for CPU' ]
  [ "$(json .frontend)" = "0.1.0 (5f3c2ab)" ]
  [ "$(json '.argv | (length, .[1], .[7])' | tr '\n' ' ')" = "8 scalability-tester-backend-sleep 1.8 " ]
  [ "$(json .began)" != null ]
  [ "$(grep -o '/why?.*' "$STUB/calls")" = \
    "/why?type=plain&evidence=0.5:0.25:1:1.000000,1:0.25:2:2.000000,2:0.25:4:4.000000" ]
}

@test "the sentence of the load client that names the cause stands before the count, and in the result" {
  STUB_FAILED=7 run validate
  [[ "$output" == *$'\nPass or fail: "because".\n*** 3 FAILs ***' ]]
  [ "$(json .headline)" = 'Pass or fail: "because".' ]
  run validate
  [[ "$output" == *$'\nPass or fail: "because".\n*** PASS ***' ]]
}

@test "the load client hears of a step in which every job failed, so that its sentence can say so" {
  STUB_FAILED=1000 run validate
  [[ "$(grep -o '/verdict?.*' "$STUB/calls")" == *"records=1:1.000000" ]]
  [[ "$output" == *$'\nPass or fail: "because".\n*** 1 FAIL ***' ]]
}

@test "why a step was not steady is what its own window says" {
  STUB_STEADY=false STUB_LOOK_WHY=1 run validate
  [[ "$output" == *"UNDECIDED: 2 workers: not steady: the rate falls"* ]]
}

@test "a load client and a frontend of an earlier version are as good for a verdict" {
  STUB_OLD=1 run validate
  [ "$status" -eq 0 ]
  [[ "$output" != *"Why:"* && "$output" != *"because"* && "$output" != *"cores"* && "$output" != *"wait s"* ]]
  [ "$(json '.windows[0] | [.cpu, .wait, .nodes] | tojson')" = "[null,null,[]]" ]
  [ "$(json '.why, .frontend' | tr '\n' ' ')" = "  " ]
}

@test "the evidence of many windows is that of the last repeat" {
  limit=1 run validate --repeat 41
  [ "$(grep -o '/why?.*' "$STUB/calls" | tr -cd , | wc -c)" -eq 0 ]
}

@test "writes an HTML report where the program is, and says how to make one where it is not" {
  mkdir "$STUB/bin"
  printf '#!/bin/sh\necho "$*" >>"%s/twofold"; echo html >"$4"\n' "$STUB" >"$STUB/bin/twofold"
  chmod +x "$STUB/bin/twofold"
  PATH="$STUB/bin:$PATH" run validate --html "$STUB/out.html"
  [ "$status" -eq 0 ]
  [ "$(cat "$STUB/twofold")" = "report $STUB/result.json --html $STUB/out.html" ]
  [[ "$output" == *"Report: $STUB/out.html"*"*** PASS ***" ]]
  printf '#!/bin/sh\nexit 2\n' >"$STUB/bin/twofold"
  PATH="$STUB/bin:$PATH" TWOFOLD_HTML="$STUB/out.html" run validate
  [ "$status" -eq 0 ]
  [[ "$output" == *"no report was made; where the program twofold is: twofold report $STUB/result.json --html $STUB/out.html"* ]]
}

@test "counts each step under the limit as a fail" {
  STUB_EFFICIENCY=0.8 run validate
  [ "$status" -eq 2 ]
  [[ "$output" == *"FAIL: 2 workers: the ratio is under 1.8"* ]]
  [[ "$output" == *"*** 2 FAILs ***" ]]
  [ "$(jq .pass "$STUB/result.json")" = false ]
  scaled_back
}

@test "undecided does not pass, and says why" {
  STUB_ERROR=0.2 run validate
  [ "$status" -eq 2 ]
  [[ "$output" == *"UNDECIDED: 2 workers: 1.8 is inside 1.09762..3.64424"* ]]
  [[ "$output" == *"*** 2 undecided ***" ]]
  [ "$(json '.verdict, .pass, .fails, .undecided, .steps[1].why' | tr '\n' ' ')" = \
    "undecided false 0 2 1.8 is inside 1.09762..3.64424 " ]
}

@test "looks again when the client says, and knows the steps before by their records" {
  STUB_DONE=false STUB_CRASH=1 run validate
  [[ "$output" == *"1 workers, 1000 s: measured so far, error 0.001, steady: true"* ]]
  [ "$(grep -o '/look?.*' "$STUB/calls" | head -n 1)" = \
    "/look?type=plain&workers=1&scale=1.8&cap=400&repeats=1&pods=any&records=" ]
  run validate --pods these --cap 77
  [ "$(grep -o '/look?.*' "$STUB/calls" | tail -n 1)" = \
    "/look?type=plain&workers=4&scale=1.8&cap=77&repeats=1&pods=these&records=1:1.000000,2:2.000000" ]
  [ "$(json .pods)" = these ]
}

@test "repeats measure all steps again, each time with new pods, and are judged together" {
  STUB_SPREAD=0.0312 run validate --repeat 2
  [ "$status" -eq 0 ]
  [ "$(grep -o 'replicas=[0-9]*' "$STUB/calls" | tr '\n' ' ')" = \
    "replicas=4 replicas=0 replicas=1 replicas=2 replicas=4 replicas=0 replicas=1 replicas=2 replicas=4 replicas=1 " ]
  [[ "$output" == *"Workers differ by 3.1 %."* ]]
  [ "$(json '.repeats, .spread, (.steps | length), (.windows | length), .windows[5].repeat' | tr '\n' ' ')" = \
    "2 0.0312 3 6 2 " ]
  [ "$(grep -o '/verdict?.*' "$STUB/calls" | tail -n 1)" = \
    "/verdict?type=plain&scale=1.8&pods=any&records=1:1.000000,2:2.000000,4:4.000000,1:1.000000,2:2.000000,4:4.000000" ]
}

@test "one fail and one undecided are not two fails" {
  STUB_THROUGHPUTS="1 1.9 2 2.1" STUB_ERROR=0.03 run validate --steps "1 2 3"
  [ "$status" -eq 2 ]
  [[ "$output" == *"*** 1 FAIL, 1 undecided ***" ]]
  [ "$(json '.verdict, .fails, .undecided' | tr '\n' ' ')" = "fail 1 1 " ]
}

@test "what people read is rounded" {
  STUB_ERROR=0.123456789 STUB_EFFICIENCY=0.1 run validate
  [[ "$output" == *"FAIL: 2 workers: the ratio is under 1.8 (0.74"* ]]
  run ! grep -qE '[0-9]\.[0-9]{7}' <<<"$output"
}

@test "an infinite error is undecided and null in JSON" {
  STUB_ERROR=inf run validate
  [ "$status" -eq 2 ]
  [ "$(jq '.windows[0].log_error' "$STUB/result.json")" = null ]
}

@test "a window that is not steady decides nothing" {
  STUB_STEADY=false run validate
  [ "$status" -eq 3 ]
  [[ "$output" == *"UNDECIDED: 1 workers: not steady: the rate falls"* ]]
  [[ "$output" == *"UNDECIDED: 2 workers: the throughput of 1 worker was not steady"* ]]
}

@test "failed jobs are a fail, with their error" {
  STUB_FAILED=7 run validate
  [ "$status" -eq 3 ]
  [[ "$output" == *"FAIL: 4 workers: 7 jobs failed: 7 no device"* ]]
}

@test "too few workers: no verdict, which pods, scaled back" {
  STUB_MOST=3 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"3 of 4 Ready"* ]]
  [[ "$output" == *"pod pod-3: Pending, not Ready"* ]]
  [[ "$output" == *"scaled scalability-tester-backend-sleep back to 1 worker"* ]]
  scaled_back
}

@test "workers that never are Ready: no verdict" {
  STUB_MOST=0 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"0 of 4 Ready"* ]]
}

@test "Ready but not registered at the frontend is not enough" {
  STUB_REGISTERED=1 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"4 of 4 Ready, 0 others, 1 registered"* ]]
}

@test "a pod that is still ending is one too many" {
  STUB_TERMINATING=1 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"pod pod-old: Running, terminating"* ]]
}

@test "a call that fails midway: no verdict, scaled back" {
  STUB_BREAK=/verdict run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"the load client does not answer /verdict"* ]]
  scaled_back
}

@test "says what it left behind when it cannot scale back" {
  STUB_BREAK=--replicas=1 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"LEFT BEHIND: scalability-tester-backend-sleep could not be scaled back to 1"* ]]
}

@test "interrupted: scales back at once" {
  in_background
  kill -TERM "$pid"
  code=0; wait "$pid" || code=$?
  [ "$code" -eq 143 ]
  scaled_back
}

@test "interrupted: the result says so, and is not that of an earlier run" {
  for number in TERM KILL; do
    rm -f "$STUB/calls"
    echo '{"pass": true, "verdict": "pass"}' >"$STUB/result.json"
    in_background
    kill -"$number" "$pid"
    wait "$pid" || true
    [ "$(json '.verdict, .pass, (.steps | length)' | tr '\n' ' ')" = "interrupted false 0 " ]
  done
}

@test "the steps that were measured are in the result of a run that ended early" {
  echo '{"pass": true}' >"$STUB/result.json"
  STUB_BREAK='/look?type=plain&workers=2' run validate
  [ "$(json '.verdict, .pass, .steps[0].verdict, (.steps | length)' | tr '\n' ' ')" = "none false measured 1 " ]
  [[ "$(json .reason)" == "the load client does not answer /look?type=plain&workers=2&"* ]]
}

@test "the result is never half a file, and a device is not replaced by one" {
  validate
  [ ! -e "$STUB/result.json.new" ]
  ln -s /dev/null "$STUB/null"
  validate --json "$STUB/null"
  [ -c "$STUB/null" ]
}

@test "the first step in which every job failed is the last one" {
  STUB_FAILED=1000 run validate
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAIL: 1 workers: all 1000 jobs failed: 1000 no device"* ]]
  [[ "$output" == *"*** 1 FAIL ***" ]]
  [[ "$output" != *"2 workers"* ]]
  [ "$(json '.verdict, .steps[0].verdict, .steps[0].error, (.steps | length)' | tr '\n' ' ')" = \
    "fail failures 1000 no device 1 " ]
  [ "$(grep -c /window "$STUB/calls")" -eq 1 ] # after the warm-up
  scaled_back
}

@test "a crash loop ends it at once, not at the timeout" {
  STUB_LOOP=1 run validate --timeout 100000
  [ "$status" -eq 201 ]
  [[ "$output" == *"pod pod-0: Running, not Ready, CrashLoopBackOff"* ]]
  [[ "$output" == *"the workers of scalability-tester-backend-sleep keep crashing (0 of 4 Ready)"* ]]
  [ "$(json '.verdict, .pass' | tr '\n' ' ')" = "none false " ]
  scaled_back
}

@test "a crash loop of the local cluster ends it, too, with the last exit and the end of the log" {
  mkdir "$STUB/logs"
  echo "no such device" >"$STUB/logs/scalability-tester-backend-sleep-0.log"
  STUB_MOST=0 STUB_RESTARTS=1 run validate_local --timeout 100000
  [ "$status" -eq 201 ]
  [[ "$output" == *"last_exit exit code 9"*"no such device"*"keep crashing"* ]]
}

@test "workers that crash are noticed while they are measured, not at the cap" {
  STUB_CRASH=1 STUB_ERROR=0.2 run validate --cap 100000
  [ "$status" -eq 201 ]
  [ "$(grep -c /window "$STUB/calls")" -le 3 ]
}

@test "what the supervisor has against it is said" {
  STUB_REFUSE="replicas: 4 are more than there is room for" run validate_local
  [ "$status" -eq 201 ]
  [[ "$output" == *"  replicas: 4 are more than there is room for"* ]]
  [[ "$output" != *"curl:"* ]]
}

@test "a limit that is no power of two is measured, with what it needs for its factor" {
  limit=3 run validate
  [ "$status" -eq 0 ]
  [ "$(json '[.steps[].workers] | join(" ")')" = "1 2 3" ]
  [ "$(json '.steps[2].least * 1000 | round')" = 1410 ] # 1.8 ^ log2(1.5)
}

@test "an answer that is not understood ends it: no verdict" {
  STUB_ERROR=' ' run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"not understood"* ]]
  scaled_back
}

@test "an unknown queue is named" {
  run validate --queue other
  [ "$status" -eq 201 ]
  [[ "$output" == *"no queue 'other'"* ]]
}

@test "wrong namespaces are refused before anything is touched" {
  run "$root/validate-scaling.sh" scalability-tester-backend-sleep elsewhere 2 \
    scalability-tester-client-sleep validation 4 1.8
  [ "$status" -eq 200 ]
  [[ "$output" == *"no deployment scalability-tester-backend-sleep in namespace elsewhere"* ]]
  run "$root/validate-scaling.sh" scalability-tester-backend-sleep monitoring 2 \
    scalability-tester-client-sleep elsewhere 4 1.8
  [ "$status" -eq 200 ]
  untouched
}

@test "an HPA that scales the same deployment is refused before anything is touched" {
  STUB_HPA="the-hpa " run validate
  [ "$status" -eq 200 ]
  [[ "$output" == *"scalability-tester-backend-sleep is scaled by the HPA the-hpa, too"* ]]
  untouched
}

@test "workers that change while they are measured: no verdict, scaled back" {
  STUB_CRASH=1 run validate
  [ "$status" -eq 201 ]
  [[ "$output" == *"the workers changed while 1 were measured, so there is no verdict"* ]]
  scaled_back
}

@test "a result that cannot be written is refused before anything is touched" {
  run validate --json "$STUB/no/such/folder/result.json"
  [ "$status" -eq 200 ]
  [[ "$output" == *"cannot write the result to $STUB/no/such/folder/result.json"* ]]
  untouched
}

refused() { # refused MESSAGE ARGUMENT...
  local message=$1
  shift
  run "$root/validate-scaling.sh" "$@"
  [ "$status" -eq 200 ]
  [[ "$output" == *"$message"* ]]
}

@test "bad arguments are refused, each by name" {
  refused "7 arguments are needed, not 0"
  refused "7 arguments are needed, not 6" d monitoring 2 s validation 4
  refused "SECS 'x'" d monitoring x s validation 4 1.8
  refused "SECS '0'" d monitoring 0 s validation 4 1.8
  refused "SECS '1.2.3'" d monitoring 1.2.3 s validation 4 1.8
  refused "LIMIT '0'" d monitoring 2 s validation 0 1.8
  refused "LIMIT '4.5'" d monitoring 2 s validation 4.5 1.8
  refused "SCALE '-1'" d monitoring 2 s validation 4 -1
  refused "'a;b' is not a name" 'a;b' monitoring 2 s validation 4 1.8
  refused "unknown option --fast" --fast d monitoring 2 s validation 4 1.8
  refused "--cap needs a value" --cap
  refused "--cap 'x'" --cap x d monitoring 2 s validation 4 1.8
  refused "--repeat '0'" --repeat 0 d monitoring 2 s validation 4 1.8
  refused "that is 81 steps in all" --repeat 27 d monitoring 2 s validation 4 1.8
  refused "--pods 'mine'" --pods mine d monitoring 2 s validation 4 1.8
  refused "--steps '2 1'" --steps "2 1" d monitoring 2 s validation 4 1.8
  refused "--steps '1 8'" --steps "1 8" d monitoring 2 s validation 4 1.8
  refused "one namespace is localhost" d localhost 2 s validation 4 1.8
  refused "no local cluster" d localhost 2 s localhost 4 1.8
  untouched
}

@test "help says how it is used and what exit codes mean" {
  run "$root/validate-scaling.sh" --help
  [ "$status" -eq 0 ]
  [[ "$output" == *"DEPLOYMENT DEPLOYMENT_NAMESPACE SECS"*"Exit codes"* ]]
}

@test "other steps: the limit is for twice, so four times needs its square" {
  run validate --steps "1 4"
  [ "$status" -eq 0 ]
  [[ "$output" == *"(pods: 4)"* && "$output" != *"(pods: 2)"* ]]
  [ "$(jq '.steps[1].least * 100 | round' "$STUB/result.json")" = 324 ]
}

@test "localhost drives the local cluster through its supervisor" {
  run validate_local
  [ "$status" -eq 0 ]
  [[ "$output" == *"*** PASS ***" ]]
  run ! grep -q kubectl "$STUB/calls"
  scaled_back
}

@test "localhost: names do without scalability-tester-" {
  local_cluster
  run env TWOFOLD_DIR="$STUB" timeout 60 "$root/validate-scaling.sh" --json "$STUB/result.json" \
    backend-sleep localhost 0.2 client-sleep localhost 4 1.8
  [ "$status" -eq 0 ]
  [[ "$output" == *"Scaling of scalability-tester-backend-sleep: 1 2 4 workers"* ]]
  [ "$(jq -r .queue "$STUB/result.json")" = sleep ]
}

@test "a state folder that others can write to, or own, is not used" {
  chmod o+w "$STUB"
  run validate_local
  [ "$status" -eq 200 ]
  [[ "$output" == *"$STUB is not trusted"* ]]
  chmod o-w "$STUB"
  chmod g+w "$STUB/supervisor.json"
  run validate_local
  [ "$status" -eq 200 ]
  chmod g-w "$STUB/supervisor.json"
  if [ "$(id -u)" = 0 ]; then
    chown 1 "$STUB"
    run validate_local
    [ "$status" -eq 200 ]
    chown 0 "$STUB"
  fi
  untouched
  validate_local
}

@test "the secret of the supervisor is in no argument, and nothing from .curlrc goes to it" {
  validate_local
  run ! grep -q 0123456789abcdef "$STUB/calls"
  run ! grep -vE '^curl -q ' "$STUB/calls"
  rm "$STUB/calls"
  validate_local --client-url http://c:1
  grep -q '^curl http://c:1/' "$STUB/calls"
  run ! grep -q '^curl http://[sf]:1/' "$STUB/calls"
}
