#!/usr/bin/env bats
# A store moves from engine to engine, and every command reads either: real programs, and a
# PostgreSQL server of the file's own (tests of it are skipped where PostgreSQL is not installed).
# shellcheck disable=SC2154  # bats sets stderr, and postgres.bash $database

bats_require_minimum_version 1.5.0

load helpers.bash
load postgres.bash

setup_file() { postgres_up; }
teardown_file() { postgres_down; }

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  cd "$BATS_TEST_TMPDIR" || return
  PATH=$bin:$PATH
  frontend=
}

teardown() { stop; }

# start STORE, stop: a frontend.
start() {
  rm -f ready
  twofold-frontend --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready --store "$1" sleep fio 2>frontend.log 3>&- &
  frontend=$!
  soon test -e ready
}
stop() {
  [ -n "$frontend" ] || return 0
  kill "$frontend"
  wait "$frontend" || true
  frontend=
}
asked() { TWOFOLD_FRONTEND=$(jq -r .client ready) twofold "$@"; }

# waiting N: so many jobs wait, in all queues.
waiting() { [ "$(asked queues --output json | jq '[.[] | .waiting] | add')" = "$1" ]; }

# A store with a run that waits, and two that were measured.
filled() {
  local samples=$root/tests/golden/suites/osu
  start "sqlite:$1"
  cat >f.yaml <<'YAML'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: set}
spec:
  template: {kind: Fio}
  permutations: {product: {rw: [read, write], bs: [4k, 8k]}}
YAML
  asked run f.yaml --runid waiting --detach --unchecked
  asked job submit sleep --durable -- 1
  stop
  for run in before after; do
    twofold parse osu "$samples/osu_allreduce-f-np4.txt" "$samples/osu_allreduce-f-np4.txt" --store "$1" --run $run >/dev/null
  done
}

@test "a frontend goes on in PostgreSQL where it stopped in a file, and back" {
  new_database moves
  filled jobs.db
  twofold store copy sqlite:jobs.db "$database"
  twofold store copy sqlite:jobs.db "$database" || [ $? -eq 5 ]  # it is not empty any more
  start "$database"
  [ "$(asked runs --output json | jq -c '[.[] | [.id, .state]]')" = '[["after","ended"],["before","ended"],["waiting","waiting"]]' ]
  soon waiting 5
  asked run f.yaml --runid later --detach --unchecked
  stop
  twofold store copy "$database" moved.db
  start sqlite:moved.db
  [ "$(asked runs --output json | jq -r '.[0].id')" = later ]
  soon waiting 9
}

@test "what was copied is told, as a table and as JSON" {
  filled jobs.db
  run --separate-stderr twofold store copy jobs.db sqlite:a.db
  [ "$status" -eq 0 ]
  grep -Eq '^job +9 +9 +[0-9a-f]{32} +[0-9a-f]{32} +yes' <<<"$output"
  grep -q 'rows of jobs.db are in a.db, and are the same there' <<<"$output"
  twofold store copy jobs.db b.db --output json >told.json
  [ "$(jq -c '[.from, .to, .same, .replaced]' told.json)" = '["jobs.db","b.db",true,0]' ]
  [ "$(jq '[.tables[] | select(.from != .to)] | length' told.json)" -eq 0 ]
  [ "$(jq '[.tables[].from.rows] | add == '"$(jq .rows told.json)" told.json)" = true ]
  [ "$(stat -c %a b.db)" = 600 ]
}

@test "refused: a store in use, one that is not empty, one that is not there, a password" {
  filled jobs.db
  start sqlite:jobs.db
  for pair in "jobs.db new.db" "old.db jobs.db"; do
    [ "$pair" = "jobs.db new.db" ] || sqlite3 jobs.db '.backup old.db'
    # shellcheck disable=SC2086
    run --separate-stderr twofold store copy $pair
    [ "$status" -eq 5 ]
    grep -q 'in use by another frontend' <<<"$stderr"
  done
  [ ! -e new.db ]
  stop
  run --separate-stderr twofold store copy old.db jobs.db
  [ "$status" -eq 5 ]
  grep -q 'TO: \|jobs.db is not empty: it has rows (.*job: 9' <<<"$stderr"
  run --separate-stderr twofold store copy none.db new.db
  [ "$status" -eq 3 ]
  grep -q 'FROM: there is no file none.db' <<<"$stderr"
  run --separate-stderr twofold store copy jobs.db postgresql://ann:geheim@db/jobs
  [ "$status" -eq 2 ]
  [[ $stderr == *"TO: others on this machine can read a password"* && $stderr != *geheim* ]]
  run --separate-stderr twofold store copy jobs.db mysql://db/jobs
  [ "$status" -eq 2 ]
}

@test "SIGINT ends a copy, which leaves nothing and can be begun again" {
  filled jobs.db
  sqlite3 jobs.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600000)
    INSERT INTO job SELECT (1 << 50) + i, 'sleep', NULL, 'sleep', 0, x'', x'00', i FROM n"
  twofold store copy jobs.db new.db 2>copy.log 3>&- &
  copy=$!
  soon test -s new.db-wal
  kill -INT $copy
  status=0
  wait $copy || status=$?
  [ "$status" -eq 6 ]
  grep -q interrupted copy.log
  [ "$(sqlite3 new.db 'SELECT count(*) FROM job')" -eq 0 ]
  twofold store copy jobs.db new.db --output json | jq -e '.same and .rows > 600000'
}

@test "every command that reads runs reads them from PostgreSQL as from a file" {
  new_database reads
  filled jobs.db
  twofold store copy jobs.db "$database" >/dev/null
  (umask 077 && printf '%s\n' "$database" >address)
  while read -r command; do
    # shellcheck disable=SC2086
    twofold $command --store jobs.db >file.txt
    # shellcheck disable=SC2086
    twofold $command --store "$database" >database.txt
    # shellcheck disable=SC2086
    twofold $command --store-file address >secret.txt
    [ -s file.txt ]
    diff file.txt database.txt
    diff file.txt secret.txt
  done <<'COMMANDS'
runs --output json
results before --output json
results before --series
compare before after
compare before after --base-store jobs.db
history min_latency --name before
report before
scaling before --y latency
COMMANDS
  twofold compare before after --store "$database" --base-store file:address >/dev/null
  twofold results export before one.db --store "$database"
  [ "$(twofold runs --store one.db --output json | jq -r '.[].id')" = before ]
  run --separate-stderr twofold results import one.db --store "$database"
  [ "$status" -eq 2 ]
  grep -q 'only a frontend puts runs into one' <<<"$stderr"
  new_database none
  run --separate-stderr twofold runs --store "$database"
  [ "$status" -eq 3 ]
  grep -q 'has no tables of twofold' <<<"$stderr"
}

@test "--check-config refuses what a start refuses, in the same words" {
  printf 'postgresql://user:secret@host/db\n' >open
  chmod 644 open
  for arguments in "--durable sleep" "--durable none --store sqlite:x.db" "--strict none" "--relay" "--store sqlite:x.db --relay" \
    "--shards sleep=2" "--store sqlite:x.db --shards sleep=2" "--store postgresql://localhost/db --shards sleep=257" \
    "--store postgresql://user:secret@host/db" "--store none:x" "--store-file open" "--store-file none" \
    "--store sqlite:x.db --store-file open" "--token-file none" "--tls-cert none --tls-key none" "sleep"; do
    # shellcheck disable=SC2086  # words are wanted
    run twofold-frontend --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 sleep $arguments
    [ "$status" -eq 2 ] || { echo "$arguments: $output"; false; }
    started=$output
    # shellcheck disable=SC2086
    run twofold-frontend --check-config sleep $arguments
    [ "$status" -eq 2 ] || { echo "$arguments: $status"; false; }
    [ "$output" = "$started" ] || { echo "$arguments: $started"; false; }
  done
  twofold-frontend --check-config --store postgresql://localhost/db --shards sleep=2 sleep
  [ ! -e x.db ]
}
