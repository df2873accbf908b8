#!/usr/bin/env bats
# What docs/jobs.md says of `twofold job` and `twofold worker`, with a real frontend and real workers.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  cd "$BATS_TEST_TMPDIR" || return
  pids=
  start_frontend 0 0
}

teardown() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" || true; done
}

# start_frontend CLIENT_PORT WORKER_PORT
start_frontend() {
  rm -f ready
  "$bin/twofold-frontend" --client-address "127.0.0.1:$1" --worker-address "127.0.0.1:$2" --http-address 127.0.0.1:0 \
    --ready-file ready --store sqlite:jobs.db --durable kept kept loose 2>>frontend.log 3>&- &
  frontend=$!
  pids="$pids $frontend"
  soon test -e ready
  clients=$(jq -r .client ready)
  workers=$(jq -r .worker ready)
}

# start_worker QUEUE NAME SLOTS WORKLOAD...: returns when the frontend knows it.
start_worker() {
  NAME=$2 "$bin/twofold-backend" --frontend "$workers" --queue "$1" --pod-env NAME --slots "$3" --backoff 0.1 \
    -- "${@:4}" 2>>backend.log 3>&- &
  worker=$!
  pids="$pids $worker"
  soon connected "$2"
}

# Tries a command until it succeeds; bounded.
soon() {
  for _ in $(seq 200); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.05
  done
  echo "not within 10 s: $*" >&2
  cat frontend.log backend.log >&2
  return 1
}

tf() { "$bin/twofold" "$1" "$2" --frontend "$clients" "${@:3}"; }
json() { tf "$1" "$2" --output json "${@:3}"; }
submit() { json job submit "$@" | jq -r .id; }
field() { json job get "$1" | jq -r ".$2"; }
is() { [ "$(field "$1" "$2")" = "$3" ]; }
why() { json job explain "$1" | jq -r .reason; }
connected() { json worker list --pod "$1" | jq -e '.[0].connected'; }
gone() { [ "$(json worker list --pod "$1")" = "[]" ]; }
worker_state() { json worker list --pod "$1" | jq -r '.[0].state'; }

@test "a durable job is there after a restart, with its run; its dedup key makes no second one" {
  id=$(submit loose --durable --run nightly --dedup-key one -- x)
  [ "$(submit loose --durable --dedup-key one -- x)" = "$id" ]
  kill -9 "$frontend"
  wait "$frontend" || true
  start_frontend 0 0
  is "$id" state waiting
  is "$id" run nightly
  is "$id" durable true
  [ "$(json job list --run nightly | jq -r '.[].id')" = "$id" ]
  [ "$(json job list --run weekly)" = "[]" ]
  run tf job get "$id"
  [[ "$output" = *"run: nightly"*"durable: yes"* ]]
  tf job cancel "$id"
  [ "$(json job list --run nightly --finished | jq -r '.[] | .id + " " + .outcome')" = "$id cancelled" ]
}

@test "explain: no worker, behind, delayed, key limit, gang short, running, ended" {
  first=$(submit loose --limit-key disk -- 60)
  [ "$(why "$first")" = no_worker ]
  late=$(submit loose --delay 60)
  [ "$(why "$late")" = delayed ]
  run tf job explain "$late"
  [[ "$output" = "job $late waiting: delayed: its time comes in "* ]]
  late=$(submit loose --not-before "$(date -d '+1 hour' +%Y-%m-%dT%H:%M:%S%:z)")
  [ "$(why "$late")" = delayed ]
  run -2 tf job submit loose --not-before tomorrow
  [[ "$output" = *"--not-before: 'tomorrow' is no instant with a time zone"* ]]
  past=$(submit loose --not-before 2020-01-01T00:00:00Z)
  [ "$(why "$past")" = behind ] || [ "$(why "$past")" = no_worker ]
  tf job cancel "$past"
  start_worker loose w1 2 sleep 60
  soon is "$first" state running
  [ "$(why "$first")" = not_waiting ]
  second=$(submit loose --limit-key disk)
  [ "$(json job explain "$second" | jq -r '.reason + " " + .key')" = "key_limit disk" ]
  gang=$(submit loose --gang 3)
  [ "$(json job explain "$gang" | jq -r '.reason + " " + (.short_of|tostring)')" = "gang_short 1" ]
  run "$bin/twofold" queues --frontend "$clients"
  [[ "$output" = *"DELAYED"*"KEY LIMITED"*"GANGS"* && "$output" != *"PAUSED"* ]]
  tf queue pause loose
  [ "$(why "$(submit loose)")" = paused ]
  tf job cancel "$first"
  soon is "$first" state finished
  [ "$(why "$first")" = not_waiting ]
  run -3 tf job explain 123456789
}

@test "submit --wait rides out a restart of the frontend, and names the job that it no longer waits for" {
  start_worker kept w1 1 /bin/sh -c
  json job submit kept --wait -- 'until [ -e go ]; do sleep 0.05; done' >told 2>err 3>&- &
  submitter=$!
  running() { json job list | jq -e '.[0].state == "running"'; }
  soon running
  for _ in 1 2 3; do  # who submits may not have asked for the stream the first time
    kill -9 "$frontend"
    wait "$frontend" || true
    start_frontend "${clients##*:}" "${workers##*:}"
    soon running
    ! grep 'lost the stream of job' err || break
  done
  touch go
  wait "$submitter"
  jq -e '.outcome == "succeeded"' told
  grep "lost the stream of job $(jq -r .id told), asking again" err
  run -4 tf job submit loose --wait --timeout 0.2
  [[ "$output" = *"job "*" has not ended within 0.2 s and goes on: "*"twofold job watch "* ]]
}

@test "logs -f shows output as it comes; the exit code is the job's; watch tells of progress" {
  start_worker loose w1 1 /bin/sh -c
  id=$(submit loose -- 'echo one; echo "0.5 half" >"/dev/fd/$TWOFOLD_PROGRESS_FD"
    until [ -e go ]; do sleep 0.05; done; echo two; exit 3')
  tf job logs -f "$id" >log 2>err 3>&- &
  follower=$!
  tf job watch "$id" >watched 2>/dev/null 3>&- &
  watcher=$!
  soon grep -q one log
  soon grep -q '50 % half' watched
  run --separate-stderr tf job logs "$id"
  [ "$status" = 0 ]
  touch go
  ended=0
  wait "$follower" || ended=$?
  [ "$ended" = 1 ]
  ended=0
  wait "$watcher" || ended=$?
  [ "$ended" = 1 ]
  [ "$(cat log)" = $'one\ntwo' ]
  grep "job $id failed after .*exit code 3" err
  grep "^$id finished  failed" watched
  run --separate-stderr tf job logs "$id"
  [ "$output" = $'one\ntwo' ]
  good=$(submit loose -- 'echo fine')
  soon is "$good" state finished
  run --separate-stderr tf job logs -f "$good"
  [ "$status/$output" = "0/fine" ]
  run -3 tf job logs 123456789
}

# The command on a terminal, and what that gets.
on_terminal() { script -qec "$*" /dev/null </dev/null; }

@test "what jobs and workers say reaches a terminal as text, and a pipe as it is" {
  command -v script >/dev/null || skip "needs script"
  start_worker loose loud 1 /bin/sh -c 'printf "\033]0;title\007red\033[31m\n\302\2332J"; echo 0.5 "$(printf "half\033[2J")" >&4; exit 1'
  id=$(submit loose)
  soon is "$id" state finished
  tf job logs "$id" >raw
  [ "$(cat raw)" = "$(printf '\033]0;title\007red\033[31m\n\302\2332J')" ]
  for verb in "logs $id" "get $id" "watch $id" "logs -f $id" list "explain $id"; do
    # shellcheck disable=SC2086  # words
    on_terminal "$bin/twofold" job $verb --frontend "$clients" >seen || true
    run ! grep -P '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' seen
    [ -s seen ] || { echo "$verb"; false; }
  done
}

@test "logs of a gang name the rank" {
  start_worker loose w1 2 /bin/sh -c
  id=$(submit loose --gang 2 -- '[ "$TWOFOLD_GANG_RANK" = 0 ] || echo >&3
    until [ -e go ]; do sleep 0.05; done; echo "rank $TWOFOLD_GANG_RANK"')
  tf job logs -f "$id" >log 2>err 3>&- &
  follower=$!
  soon is "$id" state running
  [ "$(field "$id" 'members | length')" = 2 ]
  touch go
  wait "$follower"
  grep -x '\[0\] rank 0' log
}

@test "logs -f goes on when the frontend is started again" {
  start_worker kept w1 1 /bin/sh -c
  id=$(submit kept -- 'echo one; until [ -e go ]; do sleep 0.05; done; echo two')
  tf job logs -f "$id" >log 2>err 3>&- &
  follower=$!
  soon grep -q one log
  kill -9 "$frontend"
  wait "$frontend" || true
  start_frontend "${clients##*:}" "${workers##*:}"
  soon connected w1
  soon is "$id" state running
  touch go
  wait "$follower"
  [ "$(tail -n 1 log)" = two ]
  [ "$(grep -c 'asking again' err)" = 1 ]
}

@test "logs -f shows the end of a job that ended while the frontend was away" {
  start_worker kept w1 1 /bin/sh -c
  id=$(submit kept -- 'echo one; until [ -e go ]; do sleep 0.05; done; echo two')
  tf job logs -f "$id" >log 2>err 3>&- &
  follower=$!
  soon grep -q one log
  kill -9 "$frontend"
  wait "$frontend" || true
  soon grep -q 'asking again' err
  kill -STOP "$follower"
  start_frontend "${clients##*:}" "${workers##*:}"
  touch go
  soon is "$id" state finished
  kill -CONT "$follower"
  wait "$follower"
  [ "$(tail -n 1 log)" = two ]
}

@test "a failed run is requeued, once" {
  start_worker kept w1 1 /bin/sh -c
  id=$(submit kept --run nightly -- 'test -e better')
  fine=$(submit kept --run nightly -- true)
  soon is "$fine" state finished
  is "$id" outcome failed
  touch better
  again=$(json job requeue --run nightly --outcome failed | jq -r '.[0].to')
  is "$id" requeued_as "$again"
  soon is "$again" outcome succeeded
  is "$again" run nightly
  [ "$(json job requeue --run nightly)" = "[]" ]
  run -5 tf job requeue "$id"
  [[ "$output" = *"was requeued as job $again"* ]]
  run -2 tf job requeue
  [[ "$output" = *"id, run: name one of the two"* ]]
}

@test "workers are paused, resumed and drained by pattern" {
  start_worker loose w1 1 sleep 0.01
  w1=$worker
  run tf worker pause --pod 'w?'
  [[ "$output" = *"w1"*"paused"* ]]
  id=$(submit loose)
  [ "$(why "$id")" = no_worker ]
  start_worker loose w2 1 sleep 0.01
  [ "$(worker_state w2)" = paused ]
  tf worker resume --pod w1
  soon is "$id" outcome succeeded
  [ "$(field "$id" pod)" = w1 ]
  tf worker drain --queue loose --pod w1
  wait "$w1"  # it leaves, and that is no failure
  soon gone w1
  run -2 tf worker pause
  [[ "$output" = *"node, pod: name at least one pattern"* ]]
  run -3 tf worker list --queue nowhere
}
