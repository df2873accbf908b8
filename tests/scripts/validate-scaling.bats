#!/usr/bin/env bats
# validate-scaling.sh: how it finds `twofold validate`, and what it does where only kubectl is. What a validation does
# is in tests/lib/validate.

bats_require_minimum_version 1.5.0
load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=$(realpath -m "${TWOFOLD_BIN:-$root/build/dev/bin}")
  mkdir "$BATS_TEST_TMPDIR/bin"
  cd "$BATS_TEST_TMPDIR" || return
  cp "$root/validate-scaling.sh" .
  export HOME=$BATS_TEST_TMPDIR PATH=$BATS_TEST_TMPDIR/bin:/usr/bin:/bin
  unset TWOFOLD_BIN CURL_HOME XDG_CONFIG_HOME TWOFOLD_CLIENT_URL TWOFOLD_FRONTEND_URL
}

teardown() { [ ! -e state ] || "$bin/twofold" local down --dir state; }

# program NAME: in PATH, a shell script on standard input.
program() {
  { echo '#!/bin/sh'; cat; } >"bin/$1"
  chmod +x "bin/$1"
}
# A program that says how it was called, and ends with 7.
says_its_arguments() {
  program twofold <<'END'
[ "$*" != "validate --help" ] || exit 0
echo "$TWOFOLD_CALLED_AS: $*; token ${TWOFOLD_TOKEN:-none}"
exit 7
END
}

@test "help says how it is used and what exit codes mean" {
  run ./validate-scaling.sh --help
  [ "$status" -eq 0 ]
  [[ "$output" == *"DEPLOYMENT DEPLOYMENT_NAMESPACE SECS"*"Exit codes"* ]]
}

@test "the program gets the arguments as they are, and its exit code is that of the script" {
  says_its_arguments
  run ./validate-scaling.sh --steps "1 3" a b 1 c d 3 1.8
  [ "$status" -eq 7 ]
  [ "$output" = "./validate-scaling.sh: validate --steps 1 3 a b 1 c d 3 1.8; token none" ]
}

@test "pages that are given by their URL get what .curlrc has, unless that is given as well" {
  says_its_arguments
  printf 'noproxy = "localhost"\ncacert = "/a/ca.crt"\ncert = "/a/tls.crt"\nkey = "/a/tls.key"\nheader = "Authorization: Bearer abc"\n' >.curlrc
  run ./validate-scaling.sh --frontend-url https://f:1 a
  [ "$output" = "./validate-scaling.sh: validate --tls-key /a/tls.key --tls-cert /a/tls.crt --tls-ca /a/ca.crt --frontend-url https://f:1 a; token abc" ]
  run ./validate-scaling.sh --frontend-url https://f:1 --tls-ca other a
  [ "$output" = "./validate-scaling.sh: validate --frontend-url https://f:1 --tls-ca other a; token none" ]
  run ./validate-scaling.sh a
  [ "$output" = "./validate-scaling.sh: validate a; token none" ]
}

@test "a program of an earlier version, without the command, is not used" {
  program twofold <<<'exit 2'
  run ./validate-scaling.sh a localhost 1 c localhost 2 1.8
  [ "$status" -eq 200 ]
  [[ "$output" == *"localhost needs the program twofold"* ]]
}

# kubectl of a cluster with a frontend; what was created is in `created`, what was called in `calls`.
has_kubectl() {
  program kubectl <<'END'
echo "$*" >>calls
case $* in
  *'get pods -l '*imagePullSecrets*) echo '{name: pull},' ;;
  *'get pods -l '*) echo registry.test/twofold:1 ;;
  'create -f -') cat >created ;;
  *'get pod '*phase*) [ -e ended ] && echo Succeeded || echo Running ;;
  *'get pod '*exitCode*) printf 3 ;;
  *logs*)
    echo '--- can 2 workers be deployed?'
    echo '{"deployment":"a","verdict":"interrupted","argv":[]}'
    [ ! -e hang ] || while [ ! -e ended ]; do sleep 0.05; done
    echo '{"deployment":"a","verdict":"fail","argv":[]}'
    echo 'Result: /dev/null'
    : >ended ;;
  *'delete pod'*) : >ended ;;
esac
END
}

@test "where only kubectl is, a pod of the frontend's image validates, and nothing is left of it" {
  has_kubectl
  run ./validate-scaling.sh --json result.json --steps '1 2' a monitoring 1 c validation 2 1.8
  [ "$status" -eq 3 ]
  [ "$output" = $'--- can 2 workers be deployed?\nResult: result.json' ]
  [ "$(jq -r .verdict result.json)" = fail ]
  /usr/bin/python3 - <<'END'
import yaml
things = list(yaml.safe_load_all(open("created")))
assert [t["kind"] for t in things] == ["ServiceAccount", "Role", "RoleBinding", "Role", "RoleBinding", "Pod"], things
pod = things[-1]["spec"]
(container,) = pod["containers"]
assert container["image"] == "registry.test/twofold:1" and pod["imagePullSecrets"] == [{"name": "pull"}]
assert container["args"] == ["--steps", "1 2", "a", "monitoring", "1", "c", "validation", "2", "1.8"]
rights = {(t["metadata"]["namespace"], v, r) for t in things if t["kind"] == "Role" for u in t["rules"] for v in u["verbs"] for r in u["resources"]}
assert rights == {
    ("monitoring", "get", "deployments"), ("monitoring", "patch", "deployments/scale"), ("monitoring", "list", "pods"),
    ("monitoring", "get", "pods/log"), ("monitoring", "list", "horizontalpodautoscalers"),
    ("monitoring", "get", "services/proxy"), ("monitoring", "get", "pods/proxy"),
    ("validation", "get", "services"), ("validation", "get", "services/proxy"),
}, rights
END
  [ "$(grep -c ' delete ' calls)" -eq 3 ]
}

@test "a WorkerPool is scaled there with the rights for that" {
  has_kubectl
  run ./validate-scaling.sh --json result.json workerpool/sleep monitoring 1 c validation 2 1.8
  [ "$status" -eq 3 ]
  grep -q 'apiGroups: \[twofold.dev\], resources: \[workerpools\], resourceNames: \[sleep\], verbs: \[get\]' created
  grep -q 'apiGroups: \[twofold.dev\], resources: \[workerpools/scale\], resourceNames: \[sleep\], verbs: \[patch\]' created
  ! grep -q deployments created
}

@test "interrupted there, the pod is ended and its last result kept" {
  has_kubectl
  : >hang
  ./validate-scaling.sh --json result.json a monitoring 1 c validation 2 1.8 3>&- &
  pid=$!
  soon grep -qs '"argv"' result.json
  kill -TERM "$pid"
  code=0; wait "$pid" || code=$?
  [ "$code" -eq 143 ]
  [ "$(grep -c ' delete ' calls)" -eq 3 ]
  [ "$(jq -r .verdict result.json)" = fail ]
}

@test "what a pod cannot do is refused before anything is created" {
  has_kubectl
  run ./validate-scaling.sh --client-url http://localhost:1 a monitoring 1 c validation 2 1.8
  [ "$status" -eq 200 ]
  [[ "$output" == *"--client-url and --frontend-url need the program twofold"* ]]
  run ./validate-scaling.sh 'a;b' monitoring 1 c validation 2 1.8
  [ "$status" -eq 200 ]
  [[ "$output" == *"'a;b' is not a name"* ]]
  run ./validate-scaling.sh --json no/such/folder a monitoring 1 c validation 2 1.8
  [ "$status" -eq 200 ]
  [ ! -e created ]
}

# ---- the real program

on_a_local_cluster() {
  export TWOFOLD_BIN=$bin TWOFOLD_DIR=$BATS_TEST_TMPDIR/state
  "$bin/twofold" local up --free-ports --queues sleep=0.05 3>&-
}
replicas() { "$bin/twofold" local status --output json | jq '.[] | select(.name == "scalability-tester-backend-sleep") | .replicas'; }

@test "wrong usage of the program ends with 200 as well" {
  export TWOFOLD_BIN=$bin
  for wrong in --fast "--cap x" --cap; do
    # shellcheck disable=SC2086  # an option and perhaps its value
    run ./validate-scaling.sh a monitoring 1 c validation 2 1.8 $wrong
    [ "$status" -eq 200 ]
  done
}

@test "a local cluster is validated, and interrupted it has one worker" {
  on_a_local_cluster
  run ./validate-scaling.sh --cap 4 --json result.json --html report.html backend-sleep localhost 0.05 client-sleep localhost 2 1.2
  [ "$status" -lt 200 ]
  [[ "$output" == *"Throughput: "*"Result: result.json"*"Report: report.html"* ]]
  [ "$(jq -r '.argv[0]' result.json)" = ./validate-scaling.sh ]
  [ -s report.html ]
  ./validate-scaling.sh --json result.json backend-sleep localhost 0.05 client-sleep localhost 3 1.2 3>&- &
  pid=$!
  has_three() { [ "$(replicas)" = 3 ]; }
  soon has_three
  kill -TERM "$pid"
  code=0; wait "$pid" || code=$?
  [ "$code" -eq 143 ]
  [ "$(jq -r '.verdict, .pass' result.json | tr '\n' ' ')" = "interrupted false " ]
  [ "$(replicas)" = 1 ]
}
