#!/usr/bin/env bats
# Scripts that were written for the tester that Twofold succeeds go on working: plain-scaling.sh makes their calls.

bats_require_minimum_version 1.5.0
load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=$(realpath -m "${TWOFOLD_BIN:-$root/build/dev/bin}")
  export TWOFOLD_DIR="$BATS_TEST_TMPDIR/state" NO_PROXY='*'
}

teardown() { [ ! -e "$TWOFOLD_DIR" ] || "$bin/twofold" local down; }

on_a_local_cluster() {
  "$bin/twofold" local up --free-ports --queues sleep=0.05 3>&-
  client=$("$bin/twofold" local status --output json | jq -r '.[] | select(.name == "scalability-tester-client-sleep") | .addresses.http')
}

validate() { "$BATS_TEST_DIRNAME/plain-scaling.sh" "${client#http://}" "$@" "$bin/twofold" local scale backend-sleep --wait; }

@test "a script that knows the plain pages alone validates workers, and leaves one of them without load" {
  on_a_local_cluster
  run validate 1.2 2 2
  [ "$status" -eq 0 ]
  [[ "$output" == *"Throughput of 2 workers: "*", then "*" times"*PASS ]]
  [[ "$output" == *"throughput "*" jobs/s ("* ]]  # /stats, for people
  [[ "$output" == *"<title>"* ]]                  # /nodes without a type is a page
  [ "$(curl -s "$client/parallel?type=plain")" = 0 ]
  [ "$("$bin/twofold" local status --output json | jq '.[] | select(.name == "scalability-tester-backend-sleep") | .replicas')" = 1 ]
}

@test "its exit code counts the steps that grew too little" {
  on_a_local_cluster
  run validate 3 2 2
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *"FAIL: "*" instead of 3"* ]]
}

@test "throughput and failures are plain decimal numbers, as bc and test take them, also when there are none" {
  on_a_local_cluster
  curl -s "$client/parallel?type=plain&value=0" "$client/reset?type=plain" >answers
  [ "$(cat answers)" = $'0\nReseted' ]
  [[ "$(curl -s "$client/reqs-per-sec?type=plain")" =~ ^[0-9]+\.[0-9]+$ ]]
  [[ "$(curl -s "$client/fails?type=plain")" =~ ^[0-9]+$ ]]
}

# `kubectl get service NAME --no-headers` has address and port in its third and fifth column: CLUSTER-IP, 9996/TCP.
@test "the service of each load client has an address of its own and one port" {
  /usr/bin/python3 - "$root"/deployments/*-queue/*-client.yaml <<'END'
import sys, yaml
for path in sys.argv[1:]:
    services = [t for t in yaml.safe_load_all(open(path)) if t and t["kind"] == "Service"]
    assert len(services) == 1, path
    assert services[0]["spec"].get("clusterIP") != "None", path
    assert [p["port"] for p in services[0]["spec"]["ports"]] == [9996], path
END
}
