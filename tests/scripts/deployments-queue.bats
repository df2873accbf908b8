#!/usr/bin/env bats
# deployments-queue.sh in a copy of the project.

bats_require_minimum_version 1.5.0
load cluster/helper

setup() {
  project_setup
  cp -R "$project/deployments" "$BATS_TEST_TMPDIR/before"
}

queue() { "$project/deployments-queue.sh" "$@"; }
unchanged() { diff -r "$BATS_TEST_TMPDIR/before" "$project/deployments"; }
yaml_of() { find "$project/deployments/$1-queue" -name '*.yaml' -exec sed -s '$a---' {} +; }
frontend_queues() {
  of_things "things[0]['spec']['template']['spec']['containers'][0]['args']" \
    <"$project/deployments/frontend/frontend.yaml" | grep -v '^--'
}

@test "the new folder has nothing left of the old name" {
  queue cpu-media 10bit-4k-av1-to-fullhd-hevc
  run ! grep -r cpu-media "$project/deployments/10bit-4k-av1-to-fullhd-hevc-queue"
  [ -z "$(find "$project/deployments/10bit-4k-av1-to-fullhd-hevc-queue" -name '*cpu-media*')" ]
  diff -r "$BATS_TEST_TMPDIR/before/cpu-media-queue" "$project/deployments/cpu-media-queue"
  run queue cpu-media other
  [[ "$output" == *"Deployment scalability-tester-backend-other"* ]]
}

@test "what the workers run stays" {
  queue sleep nap
  yaml_of nap | of_things "[c['args'][-2:] for t in things if 'backend-nap' in t['metadata']['name']
    and t['kind'] == 'Deployment' for c in t['spec']['template']['spec']['containers']]" >"$BATS_TEST_TMPDIR/args"
  [ "$(cat "$BATS_TEST_TMPDIR/args")" = "['sleep', '0.5']" ]
  # The name stands where it is that of the program, and nowhere else.
  run ! grep -rnw sleep "$project/deployments/nap-queue" --include=nap-hpa.yaml --include=nap-client* --include=adapter-rules.yaml --include=nap-scaledobject.yaml
}

@test "the frontend gets the queue after the old one, and takes it" {
  wanted=$(frontend_queues | sed '/^sleep$/a nap')
  queue sleep nap
  [ "$(frontend_queues)" = "$wanted" ]
  [ "$(diff "$BATS_TEST_TMPDIR/before/frontend/frontend.yaml" "$project/deployments/frontend/frontend.yaml" | wc -l)" = 2 ]
  # shellcheck disable=SC2046
  "$TWOFOLD_BIN/twofold-frontend" --check-config $(frontend_queues)
}

@test "a queue of a new queue is as if made from the first" {
  queue sleep 1.5_X
  queue 1.5_X nap
  cp -R "$project/deployments/nap-queue" "$BATS_TEST_TMPDIR/nap"
  rm -r "$project/deployments/nap-queue"
  queue sleep nap
  diff -r "$BATS_TEST_TMPDIR/nap" "$project/deployments/nap-queue"
}

@test "a queue for benchmarks keeps suite, image and components" {
  queue fio fio-nvme
  run ! grep -rnE '(backend|client)-fio($|[^-])|instance: fio$|queue=fio$' "$project/deployments/fio-nvme-queue"
  grep -qx '            - fio' "$project/deployments/fio-nvme-queue/fio-nvme-backend.yaml"
  grep -q 'image: scalability-tester-fio:' "$project/deployments/fio-nvme-queue/fio-nvme-backend.yaml"
  printf 'components: [../components/host-network, shared-volume]\n' >>"$project/deployments/fio-nvme-queue/Kustomization"
  kubectl kustomize "$project/deployments/fio-nvme-queue" >"$BATS_TEST_TMPDIR/made" || skip "needs kubectl"
  grep -q 'claimName: scalability-tester-backend-fio-nvme-shared' "$BATS_TEST_TMPDIR/made"
  grep -q 'hostNetwork: true' "$BATS_TEST_TMPDIR/made"
}

@test "names that YAML takes for something else stay names" {
  for name in true 1e3 Off 0x1F; do
    queue sleep "$name"
    yaml_of "$name" | of_things "sorted({str([t['metadata']['labels']['app.kubernetes.io/instance']])
      for t in things if t['kind'] not in ('CronJob', 'ConfigMap', 'APIService')})" >"$BATS_TEST_TMPDIR/instances"
    [ "$(cat "$BATS_TEST_TMPDIR/instances")" = "['$name']" ]
  done
  frontend_queues | grep -qx 1e3
  frontend_queues | grep -qx true
}

@test "objects of any queue have names that Kubernetes takes" {
  long=A_23456789.123456789.123456789.123456789.123456789.123456789.12
  similar=${long%2}3
  for name in "$long" "$similar" MP4.to_AV1 10bit-4k-av1-to-fullhd-hevc; do
    queue sleep "$name"
    yaml_of "$name" | of_things "[t['metadata']['name'] for t in things if t['kind'] not in ('CronJob', 'APIService')]" >"$BATS_TEST_TMPDIR/names"
    run ! grep -vE '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' "$BATS_TEST_TMPDIR/names"
    yaml_of "$name" | of_things "[t['metadata']['name'] for t in things if t['kind'] == 'CronJob']" >"$BATS_TEST_TMPDIR/names"
    run ! grep -vE '^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$' "$BATS_TEST_TMPDIR/names"
  done
  for name in "$similar" "$long"; do
    yaml_of "$name" | of_things "[t['metadata']['name'] for t in things if t['kind'] not in ('ConfigMap', 'APIService')]" | sort -u >"$BATS_TEST_TMPDIR/$name"
  done
  [ -z "$(comm -12 "$BATS_TEST_TMPDIR/$similar" "$BATS_TEST_TMPDIR/$long")" ]
  grep -rq -- "--queue=$long\$" "$project/deployments/$long-queue"
}

@test "what both queues share is said: volumes, and rules of the adapter, which hold for all queues" {
  run queue sleep other
  [ "$status" -eq 0 ]
  [ "$(grep shared <<<"$output" | grep -vcE 'ConfigMap scalability-tester-adapter-rules-|APIService ')" = 0 ]
  run queue media another
  [ "$status" -eq 0 ]
  [ "$(grep -c shared <<<"$output")" = 2 ]
  [[ "$output" == *"shared with media: PersistentVolume scalability-tester-data"* ]]
}

@test "a dry run says the same and changes nothing" {
  run queue --dry-run sleep nap
  [ "$status" -eq 0 ]
  [[ "$output" == *"Deployment scalability-tester-backend-nap"* ]]
  unchanged
}

refused() { # refused MESSAGE ARGUMENT...
  local message=$1
  shift
  run queue "$@"
  [ "$status" -eq 200 ]
  [[ "$output" == *"$message"* ]]
}

@test "bad names are refused, and nothing is changed" {
  refused "2 arguments are needed, not 1" sleep
  refused "'a/b' is not a queue name" sleep a/b
  refused "unknown option -a" -a sleep
  refused "'../x' is not a queue name" ../x nap
  refused "'a-' is not a queue name" sleep a-
  refused "' is not a queue name" sleep 'a
b'
  refused "is not a queue name" sleep "$(printf '%064d' 0)"
  refused "there is no " nothing nap
  refused "is there already" sleep media
  refused "'CPU_media' would have the names of those of 'cpu-media'" sleep CPU_media
  refused "names ending in -cronjob" sleep nap-cronjob
  unchanged
}

@test "help has examples and exit codes" {
  run queue --help
  [ "$status" -eq 0 ]
  [[ "$output" == *Examples*"Exit codes"* ]]
}
