#!/usr/bin/env bats
# validate-scaling.sh with an API server and real workers, frontend and client, as the manifests start them.
# What can go wrong is in tests/lib/validate, tests/kubernetes/target and tests/cli/local.

bats_require_minimum_version 1.5.0
load cluster/helper
load helpers.bash

setup() {
  cluster_setup
  export TWOFOLD_JSON="$BATS_TEST_TMPDIR/result.json" KUBECONFIG="$BATS_TEST_TMPDIR/kubeconfig"
  /usr/bin/python3 "$BATS_TEST_DIRNAME/cluster/api.py" "$KUBECONFIG" 3>&- &
  api=$!
  soon test -e "$KUBECONFIG"
}

teardown() {
  kill "$api"
  cluster_teardown
}

deploy() {
  for folder in namespace frontend/service frontend sleep-queue; do
    kubectl apply -f "$project/deployments/$folder" || [ "$folder" = frontend/service ] # no ServiceMonitor
  done
  for name in frontend:monitoring client-sleep:validation; do
    kubectl -n "${name#*:}" rollout status "deployment/scalability-tester-${name%:*}" --timeout=20s
  done
}

# validate LIMIT [OPTION]...: with a limit of 1.5, as this is no test of the machine.
validate() {
  local limit=$1
  shift
  "$project/validate-scaling.sh" "$@" scalability-tester-backend-sleep monitoring 0.2 \
    scalability-tester-client-sleep validation "$limit" 1.5
}

@test "twice the workers, twice the throughput: pass, and one worker is left" {
  deploy
  run validate 2 --cap 10
  echo "$output" # seen if it fails
  [ "$status" -eq 0 ]
  [[ "$output" == *"*** PASS ***" ]]
  [ "$(jq -c '[.steps[] | [.workers, .verdict]]' "$TWOFOLD_JSON")" = '[[1,"measured"],[2,"pass"]]' ]
  kubectl -n monitoring rollout status deployment/scalability-tester-backend-sleep --timeout=20s
  [ "$(kubectl -n monitoring get pods -l app.kubernetes.io/component=backend -o wide | wc -l)" = 1 ]
  [ "$(kubectl get --raw "/api/v1/namespaces/validation/services/scalability-tester-client-sleep:9996/proxy/parallel?type=plain")" = 0 ]
}

@test "crash looping workers: no verdict, the log of the first one" {
  sed -i 's/--limit=10/--limit=never/' "$project/deployments/sleep-queue/sleep-backend.yaml"
  deploy
  run validate 2 --timeout 60
  [ "$status" -eq 201 ]
  [[ "$output" == *"keep crashing (0 of 2 Ready)"* ]]
  [[ "$output" == *"pod scalability-tester-backend-sleep-"*": Running, not Ready, CrashLoopBackOff"* ]]
  [[ "$output" == *"end of the log of scalability-tester-backend-sleep-"*"--limit: 'never' is not a number of seconds"* ]]
}
