#!/usr/bin/env bats
# Programs of an older version, whose frontend had the server of gRPC's own library, and those of this tree: a frontend of either serves
# workers, clients and `twofold` of the other, and goes on with the other's store under load. By night: the older version is built, once,
# in build/ and its commit.
# shellcheck disable=SC2034,SC2154  # variables of upgrade/programs.bash

bats_require_minimum_version 1.5.0
load helpers.bash
load postgres.bash
load upgrade/programs.bash

commit=fa92c9a0

setup_file() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  new=$(realpath "${TWOFOLD_BIN:-$root/build/dev/bin}")
  why_not=$(why_not)
  export root why_not new old=$root/build/$commit/build/user/bin
  [ -z "$why_not" ] || return 0
  [ -e "$root/build/$commit/CMakeLists.txt" ] || unpack_old
  (cd "$root/build/$commit" && cmake --preset user &&
    cmake --build --preset user --target twofold twofold-frontend twofold-backend twofold-client) >"$BATS_FILE_TMPDIR/log" 2>&1 ||
    { tail -n 40 "$BATS_FILE_TMPDIR/log"; false; }
  postgres_up
}

teardown_file() { postgres_down; }

why_not() {
  if [ -z "${TWOFOLD_NIGHTLY:-}" ]; then
    echo "it builds an older version: --nightly only"
  elif [ ! -x "$new/twofold-frontend" ]; then
    echo "no programs in $new"
  elif ! git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null; then
    echo "this clone has no commit $commit: git fetch --unshallow"
  fi
}

unpack_old() {
  rm -rf "$root/build/$commit" "$root/build/$commit.new"
  mkdir -p "$root/build/$commit.new"
  git -C "$root" archive "$commit" | tar -x -C "$root/build/$commit.new"
  mv "$root/build/$commit.new" "$root/build/$commit"
}

setup() {
  [ -z "$why_not" ] || skip "$why_not"
  unset TWOFOLD_TOKEN TWOFOLD_FRONTEND
  cd "$BATS_TEST_TMPDIR" || return
  no_programs
}

teardown() { [ -n "$why_not" ] || end_all; }

# ---- each of one version's programs with the frontend of the other

get_along() { # FRONTEND OTHERS
  start_frontends "$1"
  start_worker "$2" sleep
  start_worker "$2" sleep
  start_worker "$2" night
  soon both_queues_have_workers "$2"
  ask "$2" "job submit" sleep --wait --timeout 60 -- 0.01
  job=$(ask "$2" "job submit" night --run night -- 0.5 | jq -r .id)
  ask "$2" "job watch" "$job" | grep -q succeeded
  ask "$2" "job list" --run night --finished | jq -e --arg job "$job" 'map([.id, .outcome]) == [[$job, "succeeded"]]'
  job=$(ask "$2" "job submit" sleep -- 60 | jq -r .id)
  ask "$2" "job cancel" "$job" | jq -e '.outcome == "cancelled" or .state == "running"'
  start_client "$2"
  soon client_finished_many
  start_load "$2"
  soon has_lines sleep.ran $(($(lines sleep.ran) + 80))
  end_load "$2"
  end_client
  for process in "${processes[@]}"; do ends_well "$process"; done
  end_frontends
}

both_queues_have_workers() {
  ask "$1" queues | jq -e 'map([.name, .worker_processes]) | sort == [["night", 1], ["sleep", 2]]' >/dev/null
}

secured() {
  certificates_and_tokens
  serving=(--tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt --token-file tokens)
  worker_rights=(--tls-ca ca.crt --tls-cert peer.crt --tls-key peer.key --token-file worker.token)
  client_rights=(--tls-ca ca.crt --tls-cert peer.crt --tls-key peer.key --token-file admin.token)
}

@test "older workers, clients and twofold work with this frontend" { get_along new old; }
@test "the same with mutual TLS and tokens" {
  secured
  get_along new old
}
@test "these workers, clients and twofold work with an older frontend" { get_along old new; }
@test "an older frontend with mutual TLS and tokens" {
  secured
  get_along old new
}

# ---- both in one gang: its leader sends 3 MB to a program that it starts at the other worker, and reads its answer

start_member() { # VERSION OTHER
  # shellcheck disable=SC2016  # of another shell
  ME=$1 OTHER=$2 "${!1}/twofold-backend" --frontend "$workers" --queue sleep --backoff 0.1 --pod-env ME --allow-env ME --allow-env OTHER \
    --peers-address 127.0.0.1:0 "${worker_rights[@]}" -- /bin/sh -c 'if [ "$TWOFOLD_GANG_RANK" = 0 ]; then
        echo "$ME: $(head -c 3000000 /dev/zero | twofold-rsh "$OTHER" wc -c)" >>"$0"
      else
        eval "echo >&$TWOFOLD_READY_FD"
        exec sleep 60
      fi' "$PWD/sleep.ran" 2>>worker.log 3>&- &
  pids+=($!)
  processes+=($!)
  soon connected "$1"
}
connected() { ask new "worker list" --pod "$1" | jq -e '.[0].connected' >/dev/null; }

gangs_run() {
  start_frontends new
  for first in old new; do
    processes=()
    if [ $first = old ]; then second=new; else second=old; fi
    start_member $first $second
    start_member $second $first
    ask new "job submit" sleep --gang 2 --wait --timeout 60
    for process in "${processes[@]}"; do ends_well "$process"; done
  done
  [ "$(sort sleep.ran)" = "new: 3000000
old: 3000000" ]
}

@test "a gang of an older and a newer worker runs, whoever leads it" { gangs_run; }
@test "such a gang with mutual TLS and tokens" {
  secured
  worker_rights=(--tls-ca ca.crt --tls-cert tls.crt --tls-key tls.key --token-file worker.token) # its name is known to the other
  gangs_run
}

# ---- one version takes the other's place under load: frontends, then workers one by one, then clients

roll() { # FROM TO
  start_frontends "$1"
  for queue in sleep sleep night night; do start_worker "$1" "$queue"; done
  ask "$1" "job submit" night --run night -- 4 | jq -r .id >>accepted # runs meanwhile
  for _ in 1 2 3; do ask "$1" "job submit" night --run night --delay 3 -- 0 | jq -r .id >>accepted; done
  ask "$1" "job submit" night --run night --delay 3 -- "0$(printf '%02000d' 0)" | jq -r .id >>accepted # waits in the store alone
  start_submitter "$1"
  start_load "$1"
  start_client "$1"
  both_go_on

  for name in "${frontends[@]}"; do
    ends_well "${frontend_of[$name]}"
    start_frontend "$2" "$name"
    both_go_on
  done

  old_processes=("${processes[@]}") old_queues=("${queues[@]}")
  processes=()
  for at in "${!old_processes[@]}"; do
    ends_well "${old_processes[at]}"
    start_worker "$2" "${old_queues[at]}"
    both_go_on
  done

  first_submitter=$submitter
  start_submitter "$2"
  touch "stop-$1"
  wait "$first_submitter"
  end_load "$1"
  start_load "$2"
  end_client
  start_client "$2"
  both_go_on

  touch "stop-$2"
  wait "$submitter"
  end_load "$2"
  end_client
  soon nothing_is_left "$2"
  each_durable_job_ran_once_and_succeeded "$2"
  # Volatile jobs whose stream broke are submitted again: those that were outstanding, four and two. See end_load for four more.
  [ "$(lines sleep.ran)" -ge "$succeeded" ]
  [ "$(lines sleep.ran)" -le $((succeeded + 6 * ${#frontends[@]} + 4)) ]
  for process in "${processes[@]}"; do ends_well "$process"; done
  end_frontends
}

nothing_is_left() { ask "$1" queues | jq -e 'map(.waiting + .running) | add == 0' >/dev/null; }

# Those that were accepted, and those that the store has.
each_durable_job_ran_once_and_succeeded() { # VERSION
  ask "$1" "job list" --run night --finished --most 100000 >all.json
  jq -e 'all(.outcome == "succeeded" and (.attempts | tonumber) == 1)' all.json
  jq -r '.[].id' all.json | sort >all
  [ -z "$(sort accepted | comm -23 - all)" ]
  diff all <(sed -n 's/ 1$//p' night.ran | sort)
  [ "$(lines all)" = "$(lines night.ran)" ]
}

several_frontends() {
  new_database "upgrade$BATS_TEST_NUMBER"
  store=$database
  frontends=(f1 f2)
}

schema_is_the_same() {
  git -C "$root" diff --quiet "$commit" -- lib/results/schema || skip "the store's schema has changed since $commit, which refuses it"
}

@test "this version replaces an older one under load: no job is lost or fails, and none runs twice for no reason" { roll old new; }
@test "an older version replaces this one in the same way" {
  schema_is_the_same
  roll new old
}
@test "this version replaces several frontends of an older one" {
  several_frontends
  roll old new
}
@test "an older version replaces several frontends of this one" {
  schema_is_the_same
  several_frontends
  roll new old
}
