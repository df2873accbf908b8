#!/usr/bin/env bats
# deployments-config.sh in a copy of the project, with the real kustomize.

bats_require_minimum_version 1.5.0
load cluster/helper

setup() {
  project_setup
  need_kustomize
  [ "$BATS_TEST_NUMBER" = 1 ] || few_folders frontend iperf-queue lifecycle namespace sleep-queue
  cp -R "$project/deployments" "$BATS_TEST_TMPDIR/before"
}

config() { "$project/deployments-config.sh" "$@"; }
untouched() { diff -r "$BATS_TEST_TMPDIR/before" "$project/deployments"; }

# The objects of all folders below $1.
render() {
  find "$1" -name '[Kk]ustomization*' ! -exec grep -q '^kind: Component' {} \; -print | sed 's|/[^/]*$||' | sort |
    while read -r folder; do
      echo "--- ${folder#"$1"}"
      kubectl kustomize "$folder"
    done
}

# What a person would do with an editor: the words that name the namespaces, and the images. Where
# Prometheus is belongs to the cluster.
by_hand() { # by_hand REGISTRY/ MONITORING VALIDATION
  sed -E "s#((image|value): )(scalability-tester)#\1$1\3#; /prometheus-operated/!s/\<monitoring\>([^.]*|:.*)$/$2\1/; /singular:/!s/\<validation\>/$3/"
}

@test "registry and namespaces are everywhere, and nothing else is changed" {
  # Names that sort as the old ones do: kustomize's output is sorted by them.
  run config registry.example.com:5000/a/b mon2 valid2
  [ "$status" -eq 0 ]
  render "$BATS_TEST_TMPDIR/before" | by_hand registry.example.com:5000/a/b/ mon2 valid2 >"$BATS_TEST_TMPDIR/expected"
  render "$project/deployments/configured" >"$BATS_TEST_TMPDIR/configured"
  diff "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/configured"
  grep -v 'singular: validation' "$BATS_TEST_TMPDIR/configured" >"$BATS_TEST_TMPDIR/names"
  run ! grep -nwE 'validation|monitoring([^.]|$)' "$BATS_TEST_TMPDIR/names"
  run ! grep -n 'scalability-tester-.*monitoring' "$BATS_TEST_TMPDIR/configured"
  grep -q -- "--frontend=scalability-tester-frontend.mon2:9997" "$BATS_TEST_TMPDIR/configured"
  rm -r "$project/deployments/configured"
  untouched
}

@test "prints the resulting images and namespaces" {
  run config registry.example.com mon2 clients
  [[ "$output" == *"  registry.example.com/scalability-tester-iperf:0.1.0"*"  registry.example.com/scalability-tester:0.1.0"* ]]
  [[ "$output" == *"  clients: "*" objects"*"  mon2: "*" objects"* ]]
}

@test "both namespaces may be one" {
  # The operator has rights in both, and takes workers of queues.
  cp -R "$BATS_TEST_DIRNAME"/../../deployments/{benchmark-operator,fio-queue,mpi-queue,openfoam-queue,pytorch-queue,rdma-queue} "$project/deployments"
  config - both both
  [ "$(kubectl kustomize "$project/deployments/configured/namespace" | grep -c '^kind: Namespace')" = 1 ]
  render "$project/deployments/configured" >"$BATS_TEST_TMPDIR/configured"
  # That of measured workloads is neither.
  [ "$(grep '^  namespace: ' "$BATS_TEST_TMPDIR/configured" | sort -u | tr -d ' ' | tr '\n' ' ')" = "namespace:both namespace:workloads " ]
  run ! grep 'image: .*/' "$BATS_TEST_TMPDIR/configured"
}

@test "the next run replaces what the one before has written" {
  few_folders frontend namespace sleep-queue
  config one.example.com mon2 clients
  mkdir "$project/deployments/configured/gone-queue"
  config two.example.com mon2 clients
  [ ! -e "$project/deployments/configured/gone-queue" ]
  kubectl kustomize "$project/deployments/configured/frontend" | grep 'image: two.example.com/scalability-tester:'
}

@test "--component alone is the same component, for an overlay of one's own" {
  few_folders frontend namespace sleep-queue
  config registry.example.com mon2 clients
  config --component --output "$BATS_TEST_TMPDIR/changes" registry.example.com mon2 clients
  diff -r "$project/deployments/configured/component" "$BATS_TEST_TMPDIR/changes/component"
  [ "$(ls "$BATS_TEST_TMPDIR/changes")" = component ]
  refused "--component: name the components of --store" --component --store - mon2 clients
}

@test "a new queue is in it" {
  few_folders frontend namespace sleep-queue
  "$project/deployments-queue.sh" sleep nap
  config - mon2 clients
  kubectl kustomize "$project/deployments/configured/nap-queue" | grep -- --frontend=scalability-tester-frontend.mon2:9997
}

@test "what components add has the registry and the namespaces, too" {
  "$project/deployments-queue.sh" iperf fast
  printf 'components: [../components/host-network, ../components/mtu]\n' >>"$project/deployments/fast-queue/Kustomization"
  config registry.example.com mon2 clients
  kubectl kustomize "$project/deployments/configured/fast-queue" >"$BATS_TEST_TMPDIR/fast"
  [ "$(grep -cE '(image|value): registry.example.com/scalability-tester-iperf:0' "$BATS_TEST_TMPDIR/fast")" = 3 ]
  [ "$(grep 'namespace: ' "$BATS_TEST_TMPDIR/fast" | sort -u)" = "  namespace: mon2" ]
}

@test "every image gets the registry" {
  config registry.example.com mon2 clients
  for file in "$project"/dockerfiles/*.docker; do
    grep -q "newName: registry.example.com/$(basename "$file" .docker)}" "$project/deployments/configured/component/kustomization.yaml"
  done
}

@test "--store gives the frontend its volume, and only then" {
  few_folders frontend namespace sleep-queue
  config - mon2 clients
  run ! grep -q -- --store= <(kubectl kustomize "$project/deployments/configured/frontend")
  config --store - mon2 clients
  kubectl kustomize "$project/deployments/configured/frontend" >"$BATS_TEST_TMPDIR/frontend"
  grep -q -- --store=sqlite: "$BATS_TEST_TMPDIR/frontend"
  [ "$(grep -A9 '^kind: PersistentVolumeClaim' "$BATS_TEST_TMPDIR/frontend" | grep 'namespace: ')" = "  namespace: mon2" ]
}

@test "a name that it does not know how to change is an error, and the earlier overlay stays" {
  few_folders frontend namespace sleep-queue
  config one.example.com mon2 clients
  cp -R "$project/deployments/configured" "$BATS_TEST_TMPDIR/earlier"
  sed -i 's/--frontend=scalability-tester-frontend:9999/--frontend=scalability-tester-frontend.monitoring.svc:9999/' \
    "$project/deployments/sleep-queue/sleep-backend.yaml"
  run config two.example.com mon2 clients
  [ "$status" -eq 201 ]
  [[ "$output" == *"sleep-queue would still name the namespace monitoring: "*"frontend.monitoring.svc:9999"* ]]
  diff -r "$BATS_TEST_TMPDIR/earlier" "$project/deployments/configured"
  [ "$(find "$project/deployments" -maxdepth 1 -name 'configured*')" = "$project/deployments/configured" ]
}

@test "the output may be elsewhere, but not over something else" {
  config --output "$BATS_TEST_TMPDIR/overlays" - mon2 clients
  kubectl kustomize "$BATS_TEST_TMPDIR/overlays/sleep-queue" | grep -q 'namespace: mon2'
  run config --output "$BATS_TEST_TMPDIR/before" - mon2 clients
  [ "$status" -eq 200 ]
  [[ "$output" == *"is there, and is not from this script"* ]]
  untouched
}

@test "a dry run prints the same and writes nothing" {
  run config --dry-run registry.example.com mon2 clients
  [ "$status" -eq 0 ]
  [[ "$output" == *registry.example.com/scalability-tester*clients* ]]
  untouched
}

refused() { # refused MESSAGE ARGUMENT...
  local message=$1
  shift
  run config "$@"
  [ "$status" -eq 200 ]
  [[ "$output" == *"$message"* ]]
}

@test "bad names are refused, and nothing is written" {
  refused "3 arguments are needed, not 2" registry.example.com mon2
  refused "unknown option --fast" --fast - a b
  refused "--output needs a value" --output
  refused "no folder /nowhere" --output /nowhere/x - a b
  refused "'' is not a registry" '' a b
  for registry in UPPER.example.com 'a b' http://example.com example.com/ example.com: a/b/../c '$(id)' 'a"'; do
    refused "'$registry' is not a registry" "$registry" a b
  done
  for namespace in '' A a_b a.b -a a- 'a b' "$(printf '%064d' 0)"; do
    refused "'$namespace' is not a namespace" - mon2 "$namespace"
  done
  refused "each other's name" - validation clients
  refused "each other's name" - mon2 monitoring
  untouched
}

@test "help has examples and exit codes" {
  run config --help
  [ "$status" -eq 0 ]
  [[ "$output" == *Examples*"Exit codes"* ]]
}

@test "--digests: pods run these images, and others those of their tags" {
  hex=$(printf %064d 7)
  printf 'registry.example.com/scalability-tester@sha256:%s\nscalability-tester-fio@sha256:%s' "$hex" "$hex" >"$BATS_TEST_TMPDIR/digests"
  config --digests "$BATS_TEST_TMPDIR/digests" registry.example.com mon2 clients
  render "$project/deployments/configured" >"$BATS_TEST_TMPDIR/configured"
  grep -q "image: registry.example.com/scalability-tester@sha256:$hex$" "$BATS_TEST_TMPDIR/configured"
  grep -qE "image: registry.example.com/scalability-tester-iperf(:[^@]+)?$" "$BATS_TEST_TMPDIR/configured"
  ! grep -qE "image: registry.example.com/scalability-tester(:.*)?$" "$BATS_TEST_TMPDIR/configured"
  for line in "scalability-tester@sha256:12" "scalability-tester" "nobody@sha256:$hex"; do
    echo "$line" >"$BATS_TEST_TMPDIR/digests"
    run config --digests "$BATS_TEST_TMPDIR/digests" registry.example.com mon2 clients
    [ "$status" -eq 200 ]
  done
  run config --digests /no/such/file registry.example.com mon2 clients
  [ "$status" -eq 200 ]
}

@test "--pull-secret: the pods of all workloads pull with it" {
  echo 'components: [../components/worker-pool]' >>"$project/deployments/iperf-queue/Kustomization"
  config --pull-secret registry-key registry.example.com mon2 clients
  render "$project/deployments/configured" >"$BATS_TEST_TMPDIR/configured"
  pods=$(grep -A1 -E '^ +containers:$' "$BATS_TEST_TMPDIR/configured" | grep -cE '^ +- ') # of a definition it is a map
  [ "$pods" -gt 0 ]
  [ "$(grep -A1 -E '^ +imagePullSecrets:$' "$BATS_TEST_TMPDIR/configured" | grep -c 'name: registry-key$')" = "$pods" ]
  run config --pull-secret 'a b' registry.example.com mon2 clients
  [ "$status" -eq 200 ]
}
