#!/usr/bin/env bats
# Our programs and scripts (of build/dev, or $TWOFOLD_BIN) where the environment names a proxy, and where they are told
# of one. The proxies are tests/fakes/proxy.py, which notes what it was asked.

bats_require_minimum_version 1.5.0
load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=$(realpath "${TWOFOLD_BIN:-$root/build/dev/bin}")
  export TWOFOLD_DIR="$BATS_TEST_TMPDIR/state" HOME="$BATS_TEST_TMPDIR"
  unset TWOFOLD_FRONTEND no_proxy NO_PROXY
  cd "$BATS_TEST_TMPDIR" || return
  : >asked
  proxies=()
}

teardown() {
  "$bin/twofold" local down
  [ ${#proxies[@]} = 0 ] || kill "${proxies[@]}"
}

# proxy [HOST:PORT]: in $proxy, its URL
proxy() {
  "$root/tests/fakes/proxy.py" asked "$@" >port 3>&- &
  proxies+=($!)
  soon test -s port
  proxy=http://127.0.0.1:$(cat port)
  rm port
}

# Behind a proxy that refuses, as each program and library may look for it.
behind_a_proxy() {
  proxy
  for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY grpc_proxy all_proxy ALL_PROXY; do export "$name=$proxy"; done
  run curl -s -o page -w '%{http_code}' http://127.0.0.1:1/
  [ "$output" = 403 ]
  [ "$(cat asked)" = "GET http://127.0.0.1:1/ HTTP/1.1" ]
  : >asked
}

field() { "$bin/twofold" local status --output json | jq -r ".[] | select(.name == \"$1\") | .$2"; }
up() { "$bin/twofold" local up --free-ports --queues sleep=0.05 3>&-; }

@test "no program asks a proxy of the environment" {
  behind_a_proxy
  up
  "$bin/twofold" local scale backend-sleep 2 --wait
  "$bin/twofold" queues
  "$bin/twofold" queues --frontend "$(field scalability-tester-frontend addresses.client)"
  "$bin/twofold" job submit sleep --wait --timeout 60 -- 0.01
  run "$bin/twofold" load --queue sleep --parallel 2 --duration 1s -- 0.01
  [[ "$output" == *" succeeded, 0 failed"* ]]
  "$bin/twofold" local scale backend-sleep 0 --wait
  "$bin/twofold" job submit sleep -- 0.01
  "$bin/twofold-backend" --frontend "$(field scalability-tester-frontend addresses.worker)" --queue sleep --backoff 0 --http-address 127.0.0.1:0 -- sleep 0.01
  [ ! -s asked ]
}

@test "a load made for itself asks no proxy of the environment" {
  behind_a_proxy
  run "$bin/twofold" load --local --slots 2 --parallel 2 --duration 1s -- /bin/sleep 0.05
  [ "$status" -eq 0 ]
  [ ! -s asked ]
}

@test "validate-scaling.sh asks no proxy of the environment, as quickstart.sh calls it" {
  behind_a_proxy
  up
  run env PATH="$bin:$PATH" "$root/validate-scaling.sh" --cap 4 --json result.json \
    scalability-tester-backend-sleep localhost 0.05 scalability-tester-client-sleep localhost 2 1.2
  printf '%s\n' "$output"
  [[ "$status" -lt 200 && "$output" == *"Throughput: "* ]]
  [ ! -s asked ]
}

@test "validate-scaling.sh asks a proxy that .curlrc names, for a URL that was given" {
  behind_a_proxy
  up
  echo "proxy = \"$proxy\"" >.curlrc
  run env TWOFOLD_BIN="$bin" "$root/validate-scaling.sh" --json result.json --client-url http://client.test:1 \
    scalability-tester-backend-sleep localhost 0.05 scalability-tester-client-sleep localhost 2 1.2
  [ "$status" -eq 201 ]
  [[ "$(sort -u asked)" == "CONNECT client.test:1 "* ]]
}

@test "--proxy leads to a frontend that nothing else leads to" {
  up
  proxy "$(field scalability-tester-frontend addresses.client)"
  "$bin/twofold" queues --frontend frontend.test:9997 --proxy "$proxy"
  [ "$(sort -u asked)" = "CONNECT frontend.test:9997 HTTP/1.1" ]
}

@test "a worker works through --proxy" {
  up
  "$bin/twofold" local scale backend-sleep 0 --wait
  "$bin/twofold" job submit sleep -- 0.01
  proxy "$(field scalability-tester-frontend addresses.worker)"
  run "$bin/twofold-backend" --frontend frontend.test:9999 --queue sleep --backoff 0 --http-address 127.0.0.1:0 --proxy "$proxy" -- sleep 0.01
  [ "$status" -eq 0 ]
  [ "$(sort -u asked)" = "CONNECT frontend.test:9999 HTTP/1.1" ]
}

@test "--proxy is not asked for this machine, nor for what NO_PROXY or no_proxy lists" {
  up
  proxy
  "$bin/twofold" queues --proxy "$proxy"
  for list in NO_PROXY=.test no_proxy=frontend.test NO_PROXY='*' no_proxy=x,test; do
    run env "$list" "$bin/twofold" queues --frontend frontend.test:9997 --proxy "$proxy"
    [ "$status" -eq 4 ]
  done
  run env no_proxy=192.0.2.0/24 "$bin/twofold" queues --frontend 127.0.0.1:1 --proxy "$proxy"
  [ "$status" -eq 4 ]
  [ ! -s asked ]
}

@test "a wrong --proxy is refused, and its password is not repeated" {
  for wrong in proxy:1 https://proxy:1 http://user:geheim@proxy:1 http://proxy http://; do
    run "$bin/twofold" queues --proxy "$wrong"
    [ "$status" -eq 2 ]
    [ "$output" = "twofold: --proxy: use http://HOST:PORT, without user and password" ]
  done
}
