#!/usr/bin/env bats
# Three frontends that ask everybody for certificates and tokens, one another as well: the commands of
# docs/security.md made these. Real programs, and a PostgreSQL server of the file's own.
# shellcheck disable=SC2154  # postgres.bash sets $database

load helpers.bash
load postgres.bash

setup_file() { postgres_up; }
teardown_file() { postgres_down; }

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  unset TWOFOLD_TOKEN
  cd "$BATS_TEST_TMPDIR" || return
  PATH=$bin:$PATH
  new_database "secured$BATS_TEST_NUMBER"
  certificates_and_tokens
  tls=(--tls-ca ca.crt --tls-cert peer.crt --tls-key peer.key)
  pids=
}

teardown() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" || true; done
}

background() {
  "$@" 3>&- &
  pids="$pids $!"
}

# frontends OPTION...: f1, f2 and f3 are up.
frontends() {
  for name in f1 f2 f3; do
    background twofold-frontend --name $name --ttl 2 --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 \
      --http-address 127.0.0.1:0 --ready-file $name.ready --store "$database" --tls-cert tls.crt --tls-key tls.key \
      --tls-ca ca.crt --token-file tokens --peers-token-file admin.token "$@" 2>$name.log
    eval "pid_$name=\$!"
  done
  for name in f1 f2 f3; do soon test -e $name.ready || { cat $name.log; false; }; done
}

# at FRONTEND DOOR: its address for clients, workers or HTTP.
at() { jq -r ".$2" "$1.ready"; }

# admin FRONTEND COMMAND...: as JSON.
admin() {
  local where=$1
  shift
  twofold "$@" --frontend "$(at "$where" client)" "${tls[@]}" --token-file admin.token --output json
}

workers() {
  for _ in $(seq "$2"); do
    background twofold-backend --frontend "$(at "$1" worker)" --queue sleep --slots 2 --backoff 0.1 "${tls[@]}" \
      --token-file worker.token -- sleep 0 2>>workers.log
  done
}

# load FRONTEND: twelve jobs of 10 ms outstanding; its control is at $control.
start_load() {
  background twofold-client --frontend "$(at "$1" client)" --queue sleep --parallel 12 --attempts 5 "${tls[@]}" \
    --token-file client.token --http-address 127.0.0.1:0 --ready-file client.ready --http-tls-cert tls.crt \
    --http-tls-key tls.key -- 0.01 2>client.log
  soon test -e client.ready || { cat client.log; false; }
  control=$(jq -r .http client.ready)
}

ended() {
  curl -s --cacert ca.crt "https://$control/metrics" |
    awk -v outcome="outcome=\"$1\"" '/^twofold_client_jobs_finished_total/ && index($0, outcome) { print $2 }'
}
ended_above() { [ "$(ended succeeded)" -gt "$1" ]; }
none_failed() { for bad in failed lost rejected abandoned; do [ "$(ended $bad)" = 0 ] || return 1; done; }

# owners FRONTEND: "QUEUE NAME" of each queue that is served.
owners() { admin "$1" frontends | jq -r '.[] | select(.state == "serving") | .name as $f | .partitions[] | "\(.queue) \($f)"'; }
serves() { owners "$1" | grep -q "^$2 $3\$"; }
move() { serves "$1" "${2%/0}" "$3" || { admin "$1" frontend move "$2" "$3" >move.json 2>&1; false; }; }
# each_shard_ended FRONTEND JOBS
each_shard_ended() {
  [ "$(admin "$1" frontends | jq "[.[].partitions[] | select(.finished >= $2)] | length")" = 3 ]
}

@test "shards with TLS, client certificates and tokens: workers and jobs get to each, also after a kill" {
  frontends --shards sleep=3 sleep
  soon move f1 sleep/0 f1
  soon move f1 sleep/1 f2
  soon move f1 sleep/2 f3
  workers f1 6
  # All six workers, two slots each, are in the first shard for it.
  run timeout 60 twofold job submit sleep --wait --gang 12 --frontend "$(at f2 client)" "${tls[@]}" --token-file client.token -- 0.01
  [ "$status" -eq 0 ] || { echo "$output"; cat ./*.log; false; }
  start_load f1
  soon each_shard_ended f1 20 || { admin f1 frontends; cat ./*.log; false; }
  kill -9 "$pid_f2"
  still=$(ended succeeded)
  served_elsewhere() { owners f1 | grep '^sleep/1 ' | grep -qv f2; }
  soon served_elsewhere || { owners f1; cat f1.log f3.log; false; }
  soon ended_above $((still + 200))
  none_failed
}

@test "behind --relay callers of one frontend need its certificate only" {
  frontends --relay --durable sleep sleep
  soon move f1 sleep f3
  workers f1 2
  start_load f1
  soon ended_above 100 || { cat ./*.log; false; }
  soon move f1 sleep f2
  soon ended_above $(($(ended succeeded) + 100)) || { ended succeeded; admin f1 frontends; cat ./*.log; false; }
  none_failed
  run twofold job submit sleep --wait --frontend "$(at f1 client)" "${tls[@]}" --token-file worker.token
  [ "$status" -ne 0 ]
  [[ "$output" = *"needs client or admin"* ]] || { echo "$output"; false; }
}
