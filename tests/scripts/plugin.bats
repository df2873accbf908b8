#!/usr/bin/env bats
# kubectl twofold: each command at a real frontend. kubectl is real but for its forwarded ports (plugin/forward.py); the API
# server knows objects alone (plugin/objects_api.py).

bats_require_minimum_version 1.5.0
load helpers.bash
load cluster/helper

setup_file() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  TWOFOLD_BIN=$(realpath -m "${TWOFOLD_BIN:-$root/build/dev/bin}")
  [ -x "$TWOFOLD_BIN/twofold-frontend" ] || skip "no programs in $TWOFOLD_BIN"
  REAL_KUBECTL=$(command -v kubectl) || skip "no kubectl"
  export root TWOFOLD_BIN REAL_KUBECTL HOME=$BATS_FILE_TMPDIR
  cd "$BATS_FILE_TMPDIR" || return
  "$TWOFOLD_BIN/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready --store sqlite:jobs.db fio sleep 2>frontend.log 3>&- &
  echo $! >started
  soon test -e ready
  local workers
  workers=$(jq -r .worker ready)
  worker fio --slots 2 -- fio
  worker sleep -- sleep 0.01
  TWOFOLD_FRONTEND=$(jq -r .client ready)
  soon sees pod-fio "$TWOFOLD_BIN/twofold" worker list --frontend "$TWOFOLD_FRONTEND"
  soon sees pod-sleep "$TWOFOLD_BIN/twofold" worker list --frontend "$TWOFOLD_FRONTEND"
  for id in before-1 after-2; do submit "$id" 4M; done
  submit bad-3 1M
  mkdir objects
  for name in monitoring validation; do object Namespace "$name" "" '{}'; done
  service scalability-tester-frontend monitoring
  benchmark fio-before before-1 Running False AllJobsSucceeded Succeeded True AllJobsSucceeded
  benchmark fio-after after-2 Running False AllJobsSucceeded Succeeded True AllJobsSucceeded
  benchmark fio-bad bad-3 Running False JobsFailed Failed True JobsFailed
  benchmark fio-new '' Running Unknown Queued
  serve
  echo $! >>started
  echo "monitoring/scalability-tester-frontend:9997 $TWOFOLD_FRONTEND" >forwards
}

teardown_file() {
  xargs kill <"$BATS_FILE_TMPDIR/started" 2>/dev/null || return 0
}

# worker QUEUE [OPTION]... -- WORKLOAD...: in the pod pod-QUEUE.
worker() {
  POD=pod-$1 "$TWOFOLD_BIN/twofold-backend" --frontend "$workers" --backoff 0.1 --pod-env POD --queue "$@" 2>"$1.log" 3>&- &
  echo $! >>started
}

# sees TEXT COMMAND...
sees() {
  local text=$1
  shift
  "$@" | grep -qF -e "$text"
}

# submit RUN SIZE: a run of one job, whose blocks are 4M.
submit() {
  printf '{apiVersion: twofold/v1, kind: Fio, metadata: {name: %s}, spec: {numWorkers: 1, rw: read, size: %s, runtime: 1s, %s}}' \
    "$@" 'direct: 0, ioengine: psync' >f.yaml
  "$TWOFOLD_BIN/twofold" run f.yaml --runid "$1" --detach --frontend "$TWOFOLD_FRONTEND" 2>>log
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return
  export FORWARDS=$BATS_FILE_TMPDIR/forwards KUBECONFIG=$BATS_FILE_TMPDIR/kubeconfig
  PATH=$BATS_TEST_DIRNAME/plugin:$root/kubernetes/plugin:$PATH
  unset TWOFOLD_FRONTEND TWOFOLD_SERVICE TWOFOLD_TOKEN
}

teardown() {
  rm -f objects/forbidden objects/without
  if [ -n "${CLUSTER:-}" ]; then
    xargs kill <api
    cluster_teardown
  fi
  # No forward outlives its command by more than it takes to end.
  while read -r pid; do soon gone "$pid" || { echo "the forward $pid is left"; return 1; }; done <"$FORWARDS.pids"
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# An API server of the folder objects, and the file kubeconfig that leads to it.
serve() {
  : >forwards.pids
  /usr/bin/python3 -S "$BATS_TEST_DIRNAME/plugin/objects_api.py" kubeconfig objects 2>>api.log 3>&- &
  soon test -e kubeconfig
}

# object KIND NAME NAMESPACE MORE
object() {
  jq -n --arg kind "$1" --arg name "$2" --arg namespace "$3" --argjson more "$4" \
    '{apiVersion: "v1", kind: $kind, metadata: ({name: $name} + if $namespace == "" then {} else {namespace: $namespace} end)} * $more' \
    >"objects/$1-$3-$2.json"
}
service() {
  object Service "$1" "$2" '{
    "metadata": {"labels": {"app.kubernetes.io/part-of": "twofold", "app.kubernetes.io/component": "frontend"}},
    "spec": {"ports": [{"name": "clients", "port": 9997}, {"name": "metrics", "port": 9998}]}}'
}
# benchmark NAME RUN [TYPE STATUS REASON]...
benchmark() {
  local name=$1 run=$2
  shift 2
  object Benchmark "$name" validation "$(printf '%s\n' "$@" | jq -Rn --arg run "$run" '[inputs] as $words | {
    apiVersion: "twofold.dev/v1alpha1", spec: {template: {kind: "Fio"}}, status: {
    conditions: [range(0; $words | length; 3) | {type: $words[.], status: $words[. + 1], reason: $words[. + 2], message: "so it is"}]}}
    * if $run == "" then {} else {status: {runId: $run}} end')"
}

# twofold ARGUMENT...: as kubectl calls it, but for the one test that lets it.
twofold() { kubectl-twofold "$@"; }
# ends_with CODE TEXT ARGUMENT...: TEXT is a pattern of what it says.
ends_with() {
  local code=$1 text=$2
  shift 2
  run twofold "$@"
  echo "$output"
  # shellcheck disable=SC2053
  [ "$status" = "$code" ] && [[ $output == $text ]]
}

@test "wait: until Benchmarks and runs are over, and how" {
  TWOFOLD_FRONTEND=$(jq -r .client ready) submit new-4 4M
  ends_with 0 "*new-4: ended*new-4: Succeeded*before-1: Succeeded" wait new-4 before-1
  twofold wait -n validation fio-new >said 2>log &
  soon grep -q Queued log
  benchmark fio-new new-4 Running False AllJobsSucceeded Succeeded True AllJobsSucceeded
  wait $!
  grep -q '^fio-new: Succeeded' said
  ends_with 1 "*fio-before: Succeeded AllJobsSucceeded so it is*fio-bad: Failed JobsFailed so it is" wait fio-before fio-bad -n validation
  ends_with 1 "*bad-3: Failed 1 jobs" wait bad-3
  benchmark fio-new '' Running Unknown Queued
  ends_with 4 "*fio-new: Queued*fio-new is not over after 1 s: Queued" wait -n validation fio-new --timeout 1
  ends_with 3 "*there is no Benchmark nobody in namespace validation, and no run of that id" wait nobody -n validation
  benchmark nightly '' Running False Scheduled
  ends_with 2 "*nightly has a schedule and no end*" wait -n validation nightly
  ends_with 2 "*for which Benchmark*" wait
}

@test "results, compare and report take names of Benchmarks, and ids of runs" {
  ends_with 0 "PERMUTATION *bandwidth *MiB/s*" results -n validation fio-before
  ends_with 0 "*run,permutation,*" results before-1 -o csv
  ends_with 0 "*headlines compared*" compare -n validation fio-before after-2
  ends_with 0 "*" report fio-before -n validation --html report.html
  grep -q before-1 report.html
  ends_with 3 "*fio-new has no run yet: Queued so it is" results fio-new --namespace=validation
  ends_with 3 "*there is no run 'nobody'*no Benchmark in namespace validation either: nobody*" results nobody -n validation
}

@test "an object of another kind is named by its kind" {
  object IPerf x validation '{"apiVersion": "perftest.stackhpc.com/v1alpha1", "status": {"runId": "after-2"}}'
  [ "$(twofold results iperf/x -n validation -o json | jq -r .run.id)" = after-2 ]
  ends_with 3 "*NotFound*cannot look for iperf/y: it is not there" results iperf/y -n validation
}

@test "logs: what each job of a run has printed, or why it failed" {
  ends_with 0 "==> job * finished succeeded*fio version*" logs fio-before -n validation
  ends_with 0 "==> job *finished failed*size too small*" logs bad-3
  ends_with 0 "" logs bad-3 --state succeeded
}

@test "status: Benchmarks with their conditions, and queues" {
  ends_with 0 "NAME *ACCEPTED *WORKERSREADY *RESULTSSTORED *fio-bad *JobsFailed*QUEUE *fio *sleep *" status -n validation
  ends_with 0 "NAMESPACE *validation * fio-bad *" status -A
  [ "$(twofold status -A -o json | jq -c '[.benchmarks.items[0].metadata.name, .queues[0].name]')" = '["fio-after","fio"]' ]
  echo benchmarks >objects/without
  HOME=$BATS_TEST_TMPDIR \
  ends_with 0 "*the cluster has no Benchmarks (kubectl apply*QUEUE *" status -n validation
}

@test "status: other kinds of the operator and the pools of workers, where the cluster has them and one may see them" {
  local kind
  for kind in Validation LoadTest; do
    object "$kind" "a-${kind,,}" validation '{"apiVersion": "twofold.dev/v1alpha1", "status": {"verdict": "pass", "result": "1.9 x",
      "conditions": [{"type": "Running", "status": "False", "reason": "Passed"}]}}'
  done
  object WorkerPool sleep monitoring '{"apiVersion": "twofold.dev/v1alpha1", "spec": {"queue": "sleep", "replicas": 4}, "status": {
    "ready": 3, "busy": 2, "draining": 1, "conditions": [{"type": "PodsCreated", "status": "False", "reason": "QuotaExceeded"}]}}'
  ends_with 0 "NAME *fio-bad *VERDICT *a-loadtest *LoadTest *Passed *pass *1.9 x*a-validation *WANTED *sleep *4 *3 *2 *1 *QuotaExceeded*QUEUE *" \
    status -n validation
  [ "$(twofold status -n validation -o json | jq -c '[(.measurements, .workerPools).items[].metadata.name]')" = '["a-loadtest","a-validation","sleep"]' ]
  echo validations workerpools >objects/forbidden
  ends_with 0 "*left out *validations is forbidden*left out workerpools.twofold.dev: *QUEUE *" status -n validation
  echo validations loadtests lifecycletests workerpools >objects/without
  ends_with 0 "NAME *fio-bad *QUEUE *" status -n validation
  [[ $output != *VERDICT* && $output != *"left out"* ]]
}

@test "load, top and drain: the workers of the frontend" {
  ends_with 0 "sleep: *throughput: *" load --queue sleep --parallel 1 --jobs 20 --warm-up 0 -- 0.001
  [ "$(twofold top -o csv | cut -d , -f 3 | sort | tr '\n' ' ')" = "pod pod-fio pod-sleep " ]
  ends_with 0 "*pod-sleep *draining*" drain pod-sleep
  soon absent pod-sleep
  ends_with 2 "*which worker?*" drain
}
absent() { ! sees "$1" twofold top; }

@test "any other command of twofold reaches the frontend, and ends as it ends" {
  ends_with 0 "*before-1 *ended*" -- runs
  # Ctrl-C ends the command, and the forward with it.
  run timeout -s INT 3 kubectl-twofold -- queues --watch
  [[ $output == QUEUE* ]]
  ends_with 0 "id,*" -- job list --run before-1 --finished --output csv
}

@test "in a cluster with TLS: certificate and token are those of its Secrets; validate reaches its pages" {
  local plugin=$PATH real=$REAL_KUBECTL
  PATH=${PATH#*:} # as the cluster takes what it finds for the real one
  cluster_setup
  "$project/deployments-apply.sh" --secure sleep >"$BATS_TEST_TMPDIR/log" 2>&1 || { cat "$BATS_TEST_TMPDIR/log"; false; }
  cd "$BATS_TEST_TMPDIR"
  PATH=$plugin REAL_KUBECTL=$real FORWARDS=$PWD/forwards KUBECONFIG=$PWD/kubeconfig
  mkdir objects
  : >forwards
  serve
  echo $! >api
  ends_with 0 "*scalability-tester-backend-sleep-*" top
  ends_with 0 "*measured*" validate scalability-tester-backend-sleep monitoring 0.2 scalability-tester-client-sleep validation 1 1.5 --cap 2
  echo secrets >objects/forbidden
  ends_with 4 "*" top
  cd "$project/deployments/operator"
  ends_with 0 "*scalability-tester-backend-sleep-*" top --tls-ca ca.crt --tls-cert tls.crt --tls-key tls.key --token-file token
  cd "$BATS_TEST_TMPDIR"
}

@test "what is missing is said, with what helps" {
  ends_with 3 "*there is no namespace nowhere (kubectl get namespaces)" status -n nowhere
  ends_with 2 "*context*nowhere*there is no such --context*" top --context nowhere
  ends_with 2 "*no command 'describe'*" describe
  ends_with 2 "*-n needs a value*" top -n
  TWOFOLD_BIN='' ends_with 2 "*the program twofold is neither on the PATH nor beside *set TWOFOLD_BIN*" top
  service second other
  ends_with 3 "*several frontends*monitoring/scalability-tester-frontend other/second*" top
  ends_with 0 "*pod-fio*" top -n monitoring
  ends_with 0 "*pod-fio*" top --service monitoring/scalability-tester-frontend
  ends_with 4 "*Pending*cannot forward a port to service/second in namespace other: it has no pod that runs*" top --service other/second
  ends_with 3 "*no Service of a frontend at other/nobody that you can see*" top --service other/nobody
  echo services >objects/forbidden
  ends_with 5 "*Forbidden*you may not list Services: ask for the right to list services, or say where the frontend is: --service*" top
  echo -A/services >objects/forbidden
  ends_with 0 "*pod-fio*" top -n monitoring
  rm objects/Service-other-second.json
  sed 's/127.0.0.1:[0-9]*/127.0.0.1:1/' kubeconfig >nowhere
  ends_with 4 "*kubectl does not reach the cluster*" top --kubeconfig nowhere
}

@test "without kubectl it says so" {
  mkdir tools
  for tool in sh dirname readlink; do ln -s "$(command -v "$tool")" tools; done
  PATH=$PWD/tools run -2 "$root/kubernetes/plugin/kubectl-twofold" top
  [[ $output == *"kubectl is not on the PATH"* ]]
}

@test "kubectl finds it, shows its --help, and completes commands, options and what the cluster has" {
  twofold() { "$REAL_KUBECTL" twofold "$@"; }
  ends_with 0 "*pod-fio*" top -n monitoring
  run twofold --help
  for command in status wait logs results compare report validate load top drain; do
    grep -q "^  $command " <<<"$output"
  done
  [ "$(completed re)" = "results report :4" ]
  [ "$(completed results -n validation fio-b)" = "fio-bad fio-before :4" ]
  [ "$(completed results -n va)" = "validation :4" ]
  [ "$(completed results --cs)" = "--csv :4" ]
  [ "$(completed drain --servi)" = "--service :4" ]
  [ "$(completed report --html '')" = ":0" ]
}
# completed WORD...: the candidates and the directive.
completed() { "$REAL_KUBECTL" __complete twofold "$@" 2>/dev/null | cut -f 1 | tr '\n' ' ' | sed 's/ $//'; }

@test "make-krew.sh: the manifest is krew's, and the archive what it says, the same each time" {
  for folder in one two; do "$root/packaging/make-krew.sh" 1.2.3 https://example.com/releases/ "$BATS_TEST_TMPDIR/$folder"; done
  cd "$BATS_TEST_TMPDIR"
  cmp one/kubectl-twofold-1.2.3.tar.gz two/kubectl-twofold-1.2.3.tar.gz
  cmp one/twofold.yaml two/twofold.yaml
  mkdir content
  tar -C content -xzf one/kubectl-twofold-1.2.3.tar.gz
  /usr/bin/python3 - <<'END'
import hashlib, yaml
from pathlib import Path
plugin = yaml.safe_load(Path("one/twofold.yaml").read_text())
assert (plugin["apiVersion"], plugin["kind"]) == ("krew.googlecontainertools.github.com/v1alpha2", "Plugin")
assert plugin["metadata"]["name"] == "twofold" and plugin["spec"]["version"] == "v1.2.3"
assert len(plugin["spec"]["shortDescription"]) <= 80 and plugin["spec"]["description"] and plugin["spec"]["homepage"]
for platform in plugin["spec"]["platforms"]:
    assert platform["uri"] == "https://example.com/releases/kubectl-twofold-1.2.3.tar.gz"
    assert platform["sha256"] == hashlib.sha256(Path("one/kubectl-twofold-1.2.3.tar.gz").read_bytes()).hexdigest()
    assert {file["from"] for file in platform["files"]} == {path.name for path in Path("content").iterdir()} >= {platform["bin"], "LICENSE"}
END
  run -2 "$root/packaging/make-krew.sh" v1.2 https://example.com
  run -2 "$root/packaging/make-krew.sh" 1.2.3 example.com
  # As krew installs it: by a link to it elsewhere.
  mkdir bin
  ln -s "$PWD/content/kubectl-twofold" bin
  ln -s "$TWOFOLD_BIN/twofold" content/twofold
  cd "$BATS_FILE_TMPDIR"
  [[ $(TWOFOLD_BIN='' PATH=$BATS_TEST_DIRNAME/plugin:$BATS_TEST_TMPDIR/bin:/usr/bin:/bin "$REAL_KUBECTL" twofold top) == *pod-fio* ]]
}
