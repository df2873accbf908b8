#!/usr/bin/env bats
# validate-scaling.sh with kubectl and real workers, frontend and client, as the manifests start them.
# What can go wrong with the answers is in validate-scaling.bats.

bats_require_minimum_version 1.5.0
load cluster/helper

setup() {
  cluster_setup
  export TWOFOLD_JSON="$BATS_TEST_TMPDIR/result.json"
}

teardown() { cluster_teardown; }

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

# One worker that runs, and a client that sends nothing.
scaled_back() {
  kubectl -n monitoring rollout status deployment/scalability-tester-backend-sleep --timeout=20s
  [ "$(kubectl -n monitoring get pods -l app.kubernetes.io/component=backend -o wide | wc -l)" = 1 ]
  [ "$(kubectl get --raw "/api/v1/namespaces/validation/services/scalability-tester-client-sleep:9996/proxy/parallel?type=plain")" = 0 ]
}

@test "twice the workers, twice the throughput: pass" {
  deploy
  run validate 4
  echo "$output" # seen if it fails
  [ "$status" -eq 0 ]
  [[ "$output" == *"*** PASS ***" ]]
  [ "$(jq -c '[.steps[] | [.workers, .verdict]]' "$TWOFOLD_JSON")" = '[[1,"measured"],[2,"pass"],[4,"pass"]]' ]
  [ "$(jq '.steps[2].throughput > 10 and .steps[2].throughput < 21' "$TWOFOLD_JSON")" = true ]
  scaled_back
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

@test "workers that run and do not find the frontend are never Ready: no verdict" {
  sed -i 's/--frontend=scalability-tester-frontend:/--frontend=scalability-tester-nothing:/' \
    "$project/deployments/sleep-queue/sleep-backend.yaml"
  deploy
  run validate 2 --timeout 3
  [ "$status" -eq 201 ]
  [[ "$output" == *"0 of 2 Ready, 2 others, 0 registered at the frontend"* ]]
  [[ "$output" == *"pod scalability-tester-backend-sleep-"*": Running, not Ready"* ]]
}

@test "room for two of four workers: no verdict, the others are named" {
  deploy
  CLUSTER_ROOM=4 run validate 4 --timeout 3
  [ "$status" -eq 201 ]
  [[ "$output" == *"2 of 4 Ready, 2 others, 2 registered at the frontend"* ]]
  [[ "$output" == *"pod scalability-tester-backend-sleep-"*": Pending, not Ready"* ]]
  scaled_back
}

@test "kubectl fails midway: the real workers are scaled back" {
  deploy
  CLUSTER_BREAK=--replicas=0 run validate 3
  [ "$status" -eq 201 ]
  [[ "$output" == *"cannot scale scalability-tester-backend-sleep to 0"* ]]
  [[ "$output" == *"scaled scalability-tester-backend-sleep back to 1 worker, stopped the load client"* ]]
  scaled_back
}

@test "kubectl fails for good midway: says what is left, and that is so" {
  deploy
  CLUSTER_BREAK='scale deployment * --replicas=[01]' run validate 2
  [ "$status" -eq 201 ]
  [[ "$output" == *"LEFT BEHIND: scalability-tester-backend-sleep could not be scaled back to 1"* ]]
  [ "$(kubectl -n monitoring get pods -l app.kubernetes.io/component=backend -o wide | wc -l)" = 2 ]
}
