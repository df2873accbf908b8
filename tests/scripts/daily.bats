#!/usr/bin/env bats
# What people meet every day on the command line: which frontend, --watch, errors for scripts.

bats_require_minimum_version 1.5.0

setup_file() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  export bin TWOFOLD_DIR=$BATS_FILE_TMPDIR/state
  "$bin/twofold" local up --queues sleep=0.1 --free-ports
  there=$("$bin/twofold" local status --output json | jq -r '.[] | select(.kind == "frontend") | .addresses.client')
  export there
}

teardown_file() { [ -z "${TWOFOLD_DIR:-}" ] || "$bin/twofold" local down; }

# The address that a command asks, if nobody answers there.
asked() { sed -n 's/.*no frontend answers at \([^ ,]*\).*/\1/p'; }

@test "an option goes before the variable, the variable before the local cluster" {
  run "$bin/twofold" queues --output json
  [ "$status" -eq 0 ]
  [ "$(jq -r '.[0].name' <<<"$output")" = sleep ]
  TWOFOLD_FRONTEND=localhost:1 run "$bin/twofold" queues
  [ "$status" -eq 4 ]
  [ "$(asked <<<"$output")" = localhost:1 ]
  # shellcheck disable=SC2016
  [[ "$output" == *'that of $TWOFOLD_FRONTEND'* ]]
  TWOFOLD_FRONTEND=localhost:1 run "$bin/twofold" queues --frontend "$there"
  [ "$status" -eq 0 ]
  TWOFOLD_FRONTEND=$there TWOFOLD_DIR=/nowhere run "$bin/twofold" queues
  [ "$status" -eq 0 ]
}

@test "a variable that is no address is refused by its name" {
  TWOFOLD_FRONTEND=nowhere run "$bin/twofold" queues
  [ "$status" -eq 2 ]
  # shellcheck disable=SC2016
  [[ "$output" == *'$TWOFOLD_FRONTEND: '*HOST:PORT* ]]
}

@test "queues --watch prints a list a tick into a pipe" {
  run timeout 20 sh -c '"$0" queues --watch --interval 0.1 --output csv | head -n 6' "$bin/twofold"
  [ "$(grep -c '^sleep,' <<<"$output")" = 3 ]
  run "$bin/twofold" queues --interval 2
  [ "$status" -eq 2 ]
}

@test "queues --watch clears a terminal before each list" {
  run timeout 20 script -qec "timeout -s INT 1 '$bin/twofold' queues --watch --interval 0.2" /dev/null
  [ "$(grep -o $'\x1b\\[H\x1b\\[2J' <<<"$output" | wc -l)" -ge 2 ]
}

@test "an error is JSON on stderr if the output is, with the same exit code" {
  run --separate-stderr "$bin/twofold" queue pause slep --output json
  [ "$status" -eq 3 ]
  [ -z "$output" ]
  # shellcheck disable=SC2154
  [ "$(jq -r .error.code <<<"$stderr")" = NOT_FOUND ]
  [[ "$(jq -r .error.message <<<"$stderr")" == *"did you mean 'sleep'?" ]]
  run --separate-stderr "$bin/twofold" queues --output=json --frontent x
  [ "$status" -eq 2 ]
  [ "$(jq -r .error.code <<<"$stderr")" = INVALID_ARGUMENT ]
  [[ "$stderr" == *"did you mean '--frontend'"* ]]
  run --separate-stderr "$bin/twofold" queue pause slep
  [[ "$stderr" == "twofold: queue: there is no 'slep'; did you mean"* ]]
}
