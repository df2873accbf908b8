#!/usr/bin/env bats
# The commands of docs/security.md, exactly as they stand there, make certificates and tokens with
# which a job succeeds; and what lacks one of them is told so.

load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  unset TWOFOLD_TOKEN
  cd "$BATS_TEST_TMPDIR" || return
  certificates_and_tokens
  flags=(--tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt --token-file tokens)
  start_frontend "${flags[@]}"
  peer=(--tls-ca ca.crt --tls-cert peer.crt --tls-key peer.key)
}

teardown() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" || true; done
}

start_frontend() {
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready "$@" sleep 2>frontend.log 3>&- &
  pids="$pids $!"
  for _ in $(seq 300); do [ ! -e ready ] || break; sleep 0.1; done
  clients=$(jq -r .client ready)
  workers=$(jq -r .worker ready)
  http=$(jq -r .http ready)
}

start_backend() {
  "$bin/twofold-backend" --frontend "$workers" --backoff 0.1 "$@" -- sleep 0.01 2>backend.log 3>&- &
  pids="$pids $!"
}

look() { curl -s --cacert ca.crt --cert peer.crt --key peer.key "$@"; }

@test "with TLS, mutual TLS and tokens everywhere a job succeeds" {
  start_backend "${peer[@]}" --token-file worker.token
  run "$bin/twofold" job submit sleep --wait --timeout 60 --frontend "$clients" "${peer[@]}" --token-file client.token
  [ "$status" -eq 0 ] || { cat frontend.log backend.log; echo "$output"; false; }
  "$bin/twofold-client" --frontend "$clients" --queue sleep --parallel 2 "${peer[@]}" --token-file client.token \
    --http-address 127.0.0.1:0 --ready-file client.ready --http-tls-cert tls.crt --http-tls-key tls.key \
    --http-token-file tokens 2>client.log 3>&- &
  pids="$pids $!"
  for _ in $(seq 300); do [ ! -e client.ready ] || break; sleep 0.1; done
  control=$(jq -r .http client.ready)
  eye="Authorization: Bearer $(cat read-only.token)"
  for _ in $(seq 300); do
    done_jobs=$(look -H "$eye" "https://$control/metrics" | awk '/jobs_finished_total.*succeeded/ { print $2 }')
    [ "${done_jobs:-0}" -lt 3 ] || break
    sleep 0.1
  done
  [ "$done_jobs" -ge 3 ] || { cat client.log; false; }
  run look -o answer -w '%{http_code}' -H "$eye" "https://$control/parallel?value=1&type=plain"
  [ "$output" = 403 ]
  run look -H "Authorization: Bearer $(cat client.token)" "https://$control/parallel?value=1&type=plain"
  [ "$output" = 1 ]
  run look -o answer -w '%{http_code}' "https://$http/metrics"
  [ "$output" = 401 ]
  look -H "$eye" "https://$http/metrics" | grep 'twofold_denied_total{door="http",reason="no_token"} 1'
  every_series_has_a_row "$control" client.md
  every_series_has_a_row "$http" metrics.md
}

# every_series_has_a_row ADDRESS PAGE: in a table of the page.
every_series_has_a_row() {
  for series in $(look -H "$eye" "https://$1/metrics" | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p'); do
    grep -q "^|.*\`$series[\`{]" "$root/docs/$2" || { echo "$series has no row in docs/$2"; false; }
  done
}

@test "a client without TLS, token or certificate is told what it lacks" {
  run "$bin/twofold" queues --frontend "$clients"
  [ "$status" -eq 4 ]
  [[ "$output" = *"it speaks TLS: give --tls-ca"* ]]
  run "$bin/twofold" queues --frontend "$clients" --tls-ca ca.crt --token-file read-only.token
  [ "$status" -eq 4 ]
  [[ "$output" = *"it wants a certificate: give --tls-cert and --tls-key"* ]]
  run "$bin/twofold" queues --frontend "$clients" "${peer[@]}"
  [[ "$output" = *"a token is needed"* ]]
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=Other -keyout other.key -out other.crt 2>/dev/null
  run "$bin/twofold" queues --frontend "$clients" --tls-ca other.crt --token-file read-only.token
  [ "$status" -eq 4 ]
  [[ "$output" = *"its certificate is not trusted"* ]]
  run curl -s "http://$http/metrics"
  [[ "$output" = *"this port speaks TLS: use https"* ]]
}

@test "a worker without TLS is told so, and so is one with TLS where there is none" {
  run "$bin/twofold-backend" --frontend "$workers" -- sleep 1
  [ "$status" -eq 1 ]
  [[ "$output" = *"it speaks TLS: give --tls-ca"* ]]
  rm ready
  start_frontend
  run "$bin/twofold-backend" --frontend "$workers" --tls-ca ca.crt -- sleep 1
  [ "$status" -eq 1 ]
  [[ "$output" = *"it does not speak TLS"* ]]
}

@test "twofold run takes a client token, and says what is not looked at with it" {
  command -v fio >/dev/null || skip "no fio"
  rm ready
  start_frontend "${flags[@]}" --store "sqlite:$PWD/jobs.db"
  "$bin/twofold-backend" --frontend "$workers" "${peer[@]}" --token-file worker.token --queue sleep --backoff 0.1 \
    -- fio 2>backend.log 3>&- &
  pids="$pids $!"
  printf 'apiVersion: twofold/v1\nkind: Fio\nmetadata: {name: one}\nspec: {size: 8M, bs: 4k, runtime: 1s, direct: 0, ioengine: psync}\n' >one.yaml
  run timeout 60 "$bin/twofold" run one.yaml --queue sleep --frontend "$clients" "${peer[@]}" --token-file client.token
  [ "$status" -eq 0 ] || { cat frontend.log backend.log; echo "$output"; false; }
  [[ "$output" == *"this token may not list workers"*"1 of 1 job succeeded"* ]]
}

@test "half a configuration is refused with one line" {
  for arguments in "--tls-cert tls.crt" "--tls-cert tls.crt --tls-key peer.key" "--tls-cert none --tls-key tls.key" \
    "--token-file client.token"; do
    # shellcheck disable=SC2086  # words are wanted
    run "$bin/twofold-frontend" --http-address 127.0.0.1:0 --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 \
      $arguments sleep
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ] || { echo "$output"; false; }
    # shellcheck disable=SC2086
    run "$bin/twofold-frontend" --check-config $arguments sleep
    [ "$status" -eq 2 ]
  done
  [[ "$output" != *"$(cat client.token)"* ]]
}

# said REASON: whether the worker's log has it, once.
said() { [ "$(grep -c "retrying (.*$1" backend.log)" = 1 ]; }

@test "a worker that waits for its frontend says each new reason once" {
  # shellcheck disable=SC2086  # one word, with a blank in front
  { kill $pids && wait $pids; } || true
  pids=
  rm ready
  start_backend "${peer[@]}" --token-file client.token
  soon grep -q retrying backend.log
  address=$workers
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address "$address" --http-address 127.0.0.1:0 \
    --ready-file ready "${flags[@]}" sleep 2>frontend.log 3>&- &
  pids="$pids $!"
  soon said "needs worker" || { cat backend.log; false; }
  said "refused"
}
