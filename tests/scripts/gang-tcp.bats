#!/usr/bin/env bats
# examples/gang-tcp.sh on loopback addresses; the test is what twofold-backend is to it otherwise.

bats_require_minimum_version 1.5.0

setup() {
  project=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export TWOFOLD_GANG_SIZE=2 TWOFOLD_GANG_PEERS="127.0.0.2 127.0.0.3" GANG_TCP_PORT
  GANG_TCP_PORT=$(free_port)
  mkfifo "$BATS_TEST_TMPDIR/ready"
  server=
}

# With iperf3, which it has started: all of its group.
teardown() { [ -z "$server" ] || kill -- "-$server" 2>/dev/null || true; }

free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.3", 0)); print(s.getsockname()[1])'
}

rank() { TWOFOLD_GANG_RANK=$1 "$project/examples/gang-tcp.sh" "${@:2}"; }

# Starts rank 1, returns when it is ready (bounded).
serve() {
  TWOFOLD_GANG_RANK=1 TWOFOLD_READY_FD=4 setsid "$project/examples/gang-tcp.sh" 1 \
    >"$BATS_TEST_TMPDIR/server" 2>&1 3>&- 4>"$BATS_TEST_TMPDIR/ready" &
  server=$!
  timeout 10 head -n 1 "$BATS_TEST_TMPDIR/ready" >/dev/null
}

@test "rank 0 measures what rank 1 serves, and both succeed" {
  serve
  run --separate-stderr rank 0 1
  [ "$status" = 0 ]
  [[ "$output" =~ ^"received "[0-9.]+" Gbit/s in "[0-9.]+" s from 127.0.0.2 to 127.0.0.3"$ ]]
  wait "$server"
}

@test "nobody serves: rank 0 fails with iperf3's reason" {
  run -1 rank 0 1
  [[ "$output" == *"gang-tcp.sh: iperf3 -c: "*"Connection refused"* ]]
}

@test "a port in use: rank 1 fails and is not ready" {
  serve
  run -1 env TWOFOLD_GANG_RANK=1 TWOFOLD_READY_FD=5 "$project/examples/gang-tcp.sh" 1 5>"$BATS_TEST_TMPDIR/second"
  [[ "$output" == *"gang-tcp.sh: iperf3 -s: exit code "* ]]
  [ ! -s "$BATS_TEST_TMPDIR/second" ]
}

# rank 0 with nothing but the tools that it needs, and iperf3 (if $1 is not empty) printing $1.
with_iperf3() {
  local bin=$BATS_TEST_TMPDIR/bin
  mkdir "$bin"
  for tool in cat sh jq; do ln -s "$(command -v "$tool")" "$bin"; done
  if [ -n "$1" ]; then
    printf '%s' "$1" >"$BATS_TEST_TMPDIR/json"
    printf '#!/bin/sh\ncat %s\n' "$BATS_TEST_TMPDIR/json" >"$bin/iperf3"
    chmod +x "$bin/iperf3"
  fi
  env PATH="$bin" TWOFOLD_GANG_RANK=0 "$project/examples/gang-tcp.sh" 1
}

@test "without iperf3: it says so" {
  run -1 with_iperf3 ''
  [ "$output" = "gang-tcp.sh: iperf3 is not installed" ]
}

@test "an error in the JSON fails, whatever the exit code" {
  run -1 with_iperf3 '{"error": "unable to receive"}'
  [ "$output" = "gang-tcp.sh: iperf3 -c: unable to receive" ]
}

@test "a result of nothing fails" {
  run -1 with_iperf3 '{"end": {"sum_received": {"bytes": 0}}}'
  [ "$output" = "gang-tcp.sh: iperf3 -c: nothing arrived" ]
}

@test "what is no result fails" {
  run -1 with_iperf3 'no JSON'
  [ "$output" = "gang-tcp.sh: iperf3 -c: no JSON (exit code 0)" ]
}

@test "what is no gang of two is refused" {
  run -2 rank 2 1
  run -2 rank 0 x
  run -2 env TWOFOLD_GANG_SIZE=3 TWOFOLD_GANG_RANK=0 "$project/examples/gang-tcp.sh"
  run -2 env TWOFOLD_GANG_PEERS=127.0.0.2 TWOFOLD_GANG_RANK=0 "$project/examples/gang-tcp.sh"
  run -2 "$project/examples/gang-tcp.sh"
  [[ "$output" == *"TWOFOLD_GANG_RANK is not set"* ]]
}
