#!/usr/bin/env bats
# twofold local with the real programs of build/dev (or $TWOFOLD_BIN).

bats_require_minimum_version 1.5.0

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  export TWOFOLD_DIR="$BATS_TEST_TMPDIR/state"
}

teardown() { "$bin/twofold" local down; }

up() { "$bin/twofold" local up --free-ports "$@"; }
pids() { "$bin/twofold" local status --output json | jq -r '.[].pids[]'; }
supervisor() { jq .pid "$TWOFOLD_DIR/supervisor.json"; }

# Running, and not just waiting for its parent to take note of its end.
alive() { local s; s=$(ps -o stat= -p "$1") && [ "${s#Z}" = "$s" ]; }

# eventually COMMAND...: until it succeeds.
eventually() {
  for _ in $(seq 200); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}

field() { "$bin/twofold" local status --output json | jq -r ".[] | select(.name == \"$1\") | .$2"; }
is() { [ "$(field "$1" "$2")" = "$3" ]; }
gone() { for pid in "$@"; do ! alive "$pid" || return 1; done; }

@test "up shows what runs where, down leaves nothing" {
  run up --queues a=0.1,b=0.2 --replicas 2
  [ "$status" -eq 0 ]
  [[ "$output" == *"scalability-tester-backend-b "*" 2/2"* ]]
  all=$(pids; supervisor)
  run "$bin/twofold" local down
  [ "$status" -eq 0 ]
  # shellcheck disable=SC2086
  gone $all
  [ ! -e "$TWOFOLD_DIR" ]
}

@test "a second up in the same folder is refused, and the first goes on" {
  up
  run up
  [ "$status" -eq 5 ]
  [[ "$output" == *"runs already"* ]]
  "$bin/twofold" local status
}

@test "scale waits for exactly so many ready workers" {
  up
  run "$bin/twofold" local scale scalability-tester-backend-sleep 3 --wait
  [[ "$output" == *"3/3"* ]]
  run "$bin/twofold" queues --output json
  [ "$(jq '.[0].worker_processes' <<<"$output")" = 3 ]
  "$bin/twofold" local scale scalability-tester-backend-sleep 0 --wait
  [ "$(field scalability-tester-backend-sleep 'pids | length')" = 0 ]
}

@test "a killed frontend comes back at its ports, counted" {
  up
  before=$(field scalability-tester-frontend addresses.client)
  kill -9 "$(field scalability-tester-frontend 'pids[0]')"
  eventually is scalability-tester-frontend restarts 1
  eventually is scalability-tester-frontend ready 1
  [ "$(field scalability-tester-frontend addresses.client)" = "$before" ]
  eventually is scalability-tester-backend-sleep ready 1
  "$bin/twofold" job submit sleep --wait -- 0.01
}

@test "when the supervisor is killed all die with it, and up starts anew" {
  up
  all=$(pids)
  kill -9 "$(supervisor)"
  # shellcheck disable=SC2086
  eventually gone $all
  run "$bin/twofold" local status
  [ "$status" -eq 3 ]
  up
}

@test "a port in use fails up with the reason, and leaves nothing" {
  up
  port=$(field scalability-tester-frontend addresses.http)
  cat >"$BATS_TEST_TMPDIR/twofold-frontend" <<END
#!/bin/sh
for argument; do
  shift
  [ "\$before" != --http-address ] || argument=$port
  set -- "\$@" "\$argument"
  before=\$argument
done
exec "$(realpath "$bin")/twofold-frontend" "\$@"
END
  chmod +x "$BATS_TEST_TMPDIR/twofold-frontend"
  ln -s "$(realpath "$bin/twofold-backend")" "$(realpath "$bin/twofold-client")" "$BATS_TEST_TMPDIR"
  run env TWOFOLD_DIR="$BATS_TEST_TMPDIR/second" "$bin/twofold" local up --free-ports \
    --programs "$BATS_TEST_TMPDIR"
  [ "$status" -eq 4 ]
  [[ "$output" == *"scalability-tester-frontend cannot run: exit code 2"*"${port#*:}"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/second" ]
}

@test "in the foreground it stays until it is told to end" {
  "$bin/twofold" local up --free-ports --foreground 3>&- >"$BATS_TEST_TMPDIR/out" 2>&1 &
  eventually grep -q scalability-tester-client "$BATS_TEST_TMPDIR/out"
  kill -TERM $!
  wait $!
  [ ! -e "$TWOFOLD_DIR" ]
}

@test "wrong queues and missing clusters are said in one line" {
  run up --queues a=x
  [ "$status" -eq 2 ]
  [[ "$output" == "twofold: --queues 'a=x'"* ]]
  run "$bin/twofold" local scale scalability-tester-backend-sleep 1
  [ "$status" -eq 3 ]
  run "$bin/twofold" queues --frontend 127.0.0.1:1
  [ "$status" -eq 4 ]
  [[ "$output" == *"--frontend HOST:PORT"* ]]
}

@test "logs shows the end of the logs" {
  up
  run "$bin/twofold" local logs supervisor -n 1
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 1 ]
  run "$bin/twofold" local logs nobody
  [ "$status" -eq 3 ]
}
