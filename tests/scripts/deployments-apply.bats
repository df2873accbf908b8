#!/usr/bin/env bats
# deployments-apply.sh in a copy of the project, with a cluster of local processes.

bats_require_minimum_version 1.5.0
load cluster/helper

setup() {
  cluster_setup
  need_kustomize
}

teardown() { cluster_teardown; }

apply() { "$project/deployments-apply.sh" "$@"; }
untouched() { run ! changes; }
objects() { jq -r '.objects | keys[]' "$CLUSTER/state.json" | grep -vE '^(Namespace|ConfigMap)/'; }
break_backend() { sed -i 's/--limit=10/--limit=never/' "$project/deployments/sleep-queue/sleep-backend.yaml"; }

# A namespace that is there before, with what is not ours.
someone_else() {
  printf 'apiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: %s, labels: {of: %s}}\n---\n' \
    Namespace monitoring '""' others Service prometheus monitoring others >"$BATS_TEST_TMPDIR/others.yaml"
  kubectl apply -f "$BATS_TEST_TMPDIR/others.yaml"
}

# Jobs of the queue $1 whose client is in the namespace $2 get done.
works() {
  local client=/api/v1/namespaces/$2/services/scalability-tester-client-$1:9996/proxy
  kubectl get --raw "$client/parallel?value=1&type=plain"
  for _ in $(seq 100); do
    [ "$(kubectl get --raw "$client/window?type=plain" | awk '$1 == "jobs" { print $2 }')" = 0 ] || return 0
    sleep 0.1
  done
  return 1
}

@test "frontend, then the queue, are made and Ready; what the cluster does not know is left out" {
  run apply sleep
  [ "$status" -eq 0 ]
  [[ "$output" == *'"scalability-tester-frontend" successfully rolled out'*backend-sleep*'"scalability-tester-client-sleep" successfully rolled out'*"Ready: frontend sleep" ]]
  [[ "$output" == *"left out ServiceMonitor scalability-tester-frontend: the cluster does not have monitoring.coreos.com/v1"* ]]
  works sleep validation
}

@test "the right to patch pods is not given where no policy can bound it" {
  CLUSTER_BREAK="get validatingadmissionpolicies" run apply --deletion-cost sleep
  [ "$status" -eq 200 ]
  [[ "$output" == *"--deletion-cost: no ValidatingAdmissionPolicy can be seen; that needs Kubernetes 1.30"* ]]
  untouched
  run apply --deletion-cost
  [[ "$output" == *"--deletion-cost needs a queue"* ]]
}

@test "an earlier deployment goes before the new one comes" {
  apply sleep
  run ! grep ServiceMonitor <(objects)
  before=$(jq '.pods[].name' "$CLUSTER/state.json")
  CLUSTER_APIS=monitoring.coreos.com/v1 run apply sleep
  [ "$status" -eq 0 ]
  [[ "$output" != *"left out"* ]]
  objects | grep ServiceMonitor/monitoring/scalability-tester-frontend
  [ -z "$(comm -12 <(sort <<<"$before") <(jq '.pods[].name' "$CLUSTER/state.json" | sort))" ]
}

@test "a queue with the component worker-pool has a pool in place of its Deployment, and it goes with the rest" {
  echo 'components: [../components/worker-pool]' >>"$project/deployments/sleep-queue/Kustomization"
  CLUSTER_APIS=twofold.dev/v1alpha1 run apply sleep
  [ "$status" -eq 0 ]
  [[ "$output" == *"workerpools.twofold.dev/scalability-tester-backend-sleep condition met"* ]]
  run ! grep Deployment/monitoring/scalability-tester-backend-sleep <(objects)
  CLUSTER_APIS=twofold.dev/v1alpha1 run apply
  [ "$status" -eq 0 ]
  run ! grep WorkerPool <(objects)
}

@test "the operator of Benchmarks stays when the rest is removed" {
  export CLUSTER_APIS=admissionregistration.k8s.io/v1
  kubectl apply -f "$project/deployments/namespace"
  kubectl apply -f "$project/deployments/benchmark-operator"
  before=$(objects | sort)
  [[ "$before" == *Deployment/monitoring/scalability-tester-operator* ]]
  apply sleep
  run apply -v
  [ "$status" -eq 0 ]
  [ "$(objects | sort)" = "$before" ]
}

@test "without queues it only removes: all but namespaces, volumes, benchmarks, rules of the adapter, keys and tokens, CloudNativePG's servers" {
  export CLUSTER_APIS="monitoring.coreos.com/v1 keda.sh/v1alpha1 postgresql.cnpg.io/v1 apiregistration.k8s.io/v1 admissionregistration.k8s.io/v1"
  kubectl apply -f "$project/deployments/namespace"
  # Rights in another namespace are applied, and removed, by hand.
  find "$project/deployments" -name Kustomization -not -path '*/security/*' -not -path '*/lifecycle/rights/*' -not -path '*/benchmark-operator/*' -not -path '*/frontend/metrics-api/*' | sed 's|/Kustomization$||' | while read -r folder; do
    kubectl apply -f "$folder"
  done
  run apply --dry-run
  objects | grep -q CronJob/
  run apply
  [ "$status" -eq 0 ]
  [ "$(objects | sort)" = "Cluster/monitoring/scalability-tester-database
PersistentVolume//scalability-tester-data
PersistentVolumeClaim/monitoring/scalability-tester-backend-fio-shared
PersistentVolumeClaim/monitoring/scalability-tester-data
PersistentVolumeClaim/monitoring/scalability-tester-lifecycle
PersistentVolumeClaim/monitoring/scalability-tester-store
Secret/monitoring/scalability-tester-database-app
Secret/monitoring/scalability-tester-database-ca" ]
  run apply -v
  [ "$status" -eq 0 ]
  [ -z "$(objects)" ]
  [ "$(jq '.pods | length' "$CLUSTER/state.json")" = 0 ]
  [ "$(jq -r '.objects | keys[]' "$CLUSTER/state.json" | cut -d/ -f1,2 | sort -u | tr '\n' ' ')" = "ConfigMap/monitoring ConfigMap/validation Namespace/ " ]
}

@test "-v applies the volumes of the queues" {
  # The media programs are not here: all but the volume is left out of the folder.
  printf 'kind: Kustomization\nresources: []\n' >"$project/deployments/media-queue/Kustomization"
  run apply -v media
  [ "$status" -eq 0 ]
  objects | grep PersistentVolumeClaim/monitoring/scalability-tester-data
  run apply
  objects | grep PersistentVolumeClaim
}

@test "what others have in a namespace stays" {
  someone_else
  before=$(jq -S '.objects | with_entries(select(.value.metadata.labels.of == "others"))' "$CLUSTER/state.json")
  run apply sleep
  [ "$status" -eq 0 ]
  [[ "$output" == *"namespace monitoring is there already"* ]]
  run apply -v
  [ "$status" -eq 0 ]
  [ "$(jq length <<<"$before")" = 2 ]
  [ "$(jq -S '.objects | with_entries(select(.value.metadata.labels.of == "others"))' "$CLUSTER/state.json")" = "$before" ]
}

@test "a second deployment in other namespaces keeps what both share" {
  few_folders namespace frontend media-queue
  kubectl apply -f "$project/deployments/namespace"
  for folder in frontend/service media-queue/volume; do kubectl apply -f "$project/deployments/$folder" || true; done
  "$project/deployments-config.sh" - mon2 clients
  run apply -v
  [ "$status" -eq 0 ]
  objects | grep ClusterRole//scalability-tester-viewer
  objects | grep PersistentVolume//scalability-tester-data
  rm -r "$project/deployments/configured"
  run apply -v
  [ "$status" -eq 0 ]
  [ -z "$(objects)" ]
}

@test "three queues in other namespaces" {
  few_folders namespace frontend sleep-queue
  "$project/deployments-queue.sh" sleep 10bit-4k-av1-to-fullhd-hevc
  "$project/deployments-queue.sh" sleep Nap_2
  "$project/deployments-config.sh" registry.example.com/tester mon2 clients
  run apply sleep 10bit-4k-av1-to-fullhd-hevc Nap_2
  [ "$status" -eq 0 ]
  [ "$(jq -r '.pods[] | .namespace + " " + .labels["app.kubernetes.io/instance"]' "$CLUSTER/state.json" | sort | tr '\n' ,)" = \
    "clients 10bit-4k-av1-to-fullhd-hevc,clients Nap_2,clients sleep,mon2 10bit-4k-av1-to-fullhd-hevc,mon2 Nap_2,mon2 frontend,mon2 sleep," ]
  for queue in sleep 10bit-4k-av1-to-fullhd-hevc nap-2; do works "$queue" clients; done
}

@test "queues for benchmarks: all workers Ready, and a job of two measures between their pods" {
  command -v iperf3 || skip "needs iperf3"
  run apply iperf fio
  [ "$status" -eq 0 ]
  [[ "$output" == *'statefulset "scalability-tester-backend-fio" successfully rolled out'*"Ready: frontend iperf fio" ]]
  frontend=$(jq -r '.pods[] | select(.labels["app.kubernetes.io/component"] == "frontend").ip' "$CLUSTER/state.json")
  port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
  run "$TWOFOLD_BIN/twofold" job submit iperf --frontend "$frontend:9997" --gang 2 --wait --timeout 60 -- \
    "{\"duration\": 1, \"port\": $port}"
  [ "$status" -eq 0 ]
  [[ "$output" == *succeeded* ]]
}

@test "a queue that is not in the overlay is refused before anything is removed" {
  few_folders namespace frontend sleep-queue
  "$project/deployments-config.sh" - mon2 clients
  "$project/deployments-queue.sh" sleep nap
  run apply nap
  [ "$status" -eq 200 ]
  [[ "$output" == *"no folder "*"/configured/nap-queue (run deployments-config.sh again?)"* ]]
  untouched
}

@test "workers that crash: which, the warnings, and the log of the first one" {
  break_backend
  run apply --timeout 3 sleep
  [ "$status" -eq 201 ]
  [[ "$output" == *"scalability-tester-backend-sleep-"*CrashLoopBackOff* ]]
  [[ "$output" == *BackOff* ]]
  [[ "$output" == *"end of the log of scalability-tester-backend-sleep-"*"--limit: 'never' is not a number of seconds"* ]]
  [[ "$output" == *"scalability-tester-backend-sleep in monitoring is not Ready" ]]
}

@test "no room for a pod: it is Pending, with the warning of the scheduler" {
  CLUSTER_ROOM=1 run apply --timeout 1 sleep
  [ "$status" -eq 201 ]
  [[ "$output" == *"scalability-tester-backend-sleep-"*Pending*FailedScheduling* ]]
  [[ "$output" != *"end of the log"* ]]
}

@test "a call that fails ends it" {
  CLUSTER_BREAK=delete run apply sleep
  [ "$status" -eq 201 ]
  [[ "$output" == *"cannot remove the earlier deployment"* ]]
  CLUSTER_BREAK='apply -f' run apply sleep
  [ "$status" -eq 201 ]
  [[ "$output" == *"cannot apply "*"/deployments/namespace" ]]
}

@test "a dry run shows each call and object, and changes nothing" {
  run apply --dry-run -v sleep media
  [ "$status" -eq 0 ]
  [[ "$output" == *"kubectl delete "*persistentvolumeclaims*"kubectl apply -k "*"Deployment scalability-tester-backend-sleep in monitoring"*/media-queue/volume* ]]
  untouched
}

# The pod's address of the component $1.
address_of() { jq -r --arg of "$1" 'first(.pods[] | select(.labels["app.kubernetes.io/component"] == $of).ip)' "$CLUSTER/state.json"; }
# The commands of a person: with the files of the operator, and without.
operator() { "$TWOFOLD_BIN/twofold" "$@" --frontend "$(address_of frontend):9997" --tls-server-name localhost \
  --tls-ca "$files/ca.crt" --tls-cert "$files/tls.crt" --tls-key "$files/tls.key" --token-file "${token:-$files/token}"; }
look() { curl -s -m 10 --connect-to "localhost:9998:$(address_of frontend):9998" https://localhost:9998/metrics "$@"; }
secrets() { jq -S '.objects | with_entries(select(.key | startswith("Secret/")))' "$CLUSTER/state.json"; }

# Programs that are given secrets, with what they are called with in $BATS_TEST_TMPDIR/arguments.
watch_arguments() {
  mkdir "$BATS_TEST_TMPDIR/watch"
  for program in openssl kubectl base64 cp; do
    printf '#!/bin/sh\necho "%s $*" >>"%s"\nexec "%s" "$@"\n' "$program" "$BATS_TEST_TMPDIR/arguments" "$(command -v "$program")" \
      >"$BATS_TEST_TMPDIR/watch/$program"
    chmod +x "$BATS_TEST_TMPDIR/watch/$program"
  done
  PATH=$BATS_TEST_TMPDIR/watch:$PATH
}

@test "--secure: jobs get done over mutual TLS, and who has no certificate or token is kept out" {
  files=$project/deployments/operator
  run apply --secure sleep
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [[ "$output" == *"Ready: frontend sleep"*"$files"* ]]
  works sleep validation
  run operator queues
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [[ "$output" == *sleep* ]]
  run "$TWOFOLD_BIN/twofold" queues --frontend "$(address_of frontend):9997"
  [ "$status" -ne 0 ]
  echo no-token-of-this-cluster >"$BATS_TEST_TMPDIR/other"
  token=$BATS_TEST_TMPDIR/other run operator queues
  [ "$status" -ne 0 ]
  CURL_HOME=$files look | grep -q twofold_jobs
  [ "$(look -k -o /dev/null -w '%{http_code}')" = 403 ]
  [ "$(look -q -o /dev/null -w '%{http_code}' --cacert "$files/ca.crt" --cert "$files/tls.crt" --key "$files/tls.key")" = 401 ]
  objects | grep NetworkPolicy/monitoring/scalability-tester-backends
  objects | grep NetworkPolicy/validation/scalability-tester-clients
}

@test "--secure again keeps CA, certificates and tokens; --renew keeps the CA" {
  files=$project/deployments/operator
  apply --secure sleep
  before=$(secrets)
  apply --secure sleep
  [ "$(secrets)" = "$before" ]
  apply --secure --renew sleep
  ca=Secret/monitoring/scalability-tester-authority
  secrets >"$BATS_TEST_TMPDIR/after"
  same=$(jq -r --slurpfile after "$BATS_TEST_TMPDIR/after" '. as $before | keys[] | select($before[.] == $after[0][.])' <<<"$before")
  [ "$same" = "$ca" ] || { echo "$same"; false; }
  operator queues
}

@test "--secure in other namespaces: each has its secrets" {
  few_folders namespace frontend sleep-queue security
  files=$project/deployments/operator
  "$project/deployments-config.sh" - mon2 clients
  run apply --secure sleep
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  works sleep clients
  [ "$(secrets | jq -r 'keys[]' | grep -v ^Secret/mon2/ | tr '\n' ' ')" = \
    "Secret/clients/scalability-tester-client-tls Secret/clients/scalability-tester-client-token " ]
  secrets | jq -e '.["Secret/mon2/scalability-tester-keda-tls"].data["tls.key"]' >/dev/null
  jq -r '.objects["Secret/mon2/scalability-tester-tls"].data["tls.crt"]' "$CLUSTER/state.json" | base64 -d |
    openssl x509 -noout -checkhost scalability-tester-frontend.mon2 | grep 'does match'  # KEDA connects to it
  operator queues
}

@test "--secrets-only makes the Secrets of --secure and nothing else, for the Helm chart" {
  run apply --secrets-only
  [ "$status" -eq 200 ]
  run apply --secure --secrets-only sleep
  [ "$status" -eq 200 ]
  apply --secure --secrets-only
  before=$(secrets)
  [ -z "$(objects | grep -v -e ^Namespace/ -e ^Secret/)" ]
  # Each that the workloads mount with TLS.
  kubectl kustomize "$project/deployments/security/secret" | awk '/^kind: /{ kind = $2 } /^  name: / { name = $2 }
    /^  namespace: / { print kind "/" $2 "/" name }' >"$BATS_TEST_TMPDIR/wanted"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/wanted")" -ge 10 ]
  lacking=$(comm -13 <(jq -r 'keys[]' <<<"$before" | sort) <(sort "$BATS_TEST_TMPDIR/wanted"))
  [ -z "$lacking" ] || { echo "$lacking"; false; }
  apply --secure --secrets-only
  [ "$(secrets)" = "$before" ]
  # The frontend lets in whom the Frontend `default` has a token for.
  echo token-of-namespace-a >"$BATS_TEST_TMPDIR/token"
  kubectl create secret generic scalability-tester-operator-frontends -n monitoring --dry-run=client -o yaml \
    --from-file=default.a.token="$BATS_TEST_TMPDIR/token" --from-file=other.b.token="$BATS_TEST_TMPDIR/token" \
    --from-file=default.ca.crt="$BATS_TEST_TMPDIR/token" >"$BATS_TEST_TMPDIR/secret"
  kubectl apply -f "$BATS_TEST_TMPDIR/secret"
  apply --secure --secrets-only
  secrets | jq -r '.["Secret/monitoring/scalability-tester-tokens"].data.tokens' | base64 -d >"$BATS_TEST_TMPDIR/tokens"
  [ "$(tail -n 1 "$BATS_TEST_TMPDIR/tokens")" = "client namespace-a token-of-namespace-a" ]
  [ "$(wc -l <"$BATS_TEST_TMPDIR/tokens")" = 6 ]
}

@test "--secure gives its secrets to nobody: no argument has one, and no file that others can read" {
  files=$project/deployments/operator
  watch_arguments
  apply --secure sleep
  [ -s "$BATS_TEST_TMPDIR/arguments" ]
  secrets | jq -r '.[].data | del(.["ca.crt"], .["tls.crt"]) | .[]' | while read -r secret; do
    for text in "$secret" "$(base64 -d <<<"$secret" | head -n 2 | tail -n 1)"; do
      ! grep -qF -e "$text" "$BATS_TEST_TMPDIR/arguments" "$CLUSTER/calls" || { echo "$text"; false; }
    done
  done
  [ "$(stat -c %a "$files")" = 700 ]
  [ "$(find "$files" -type f | wc -l)" = 5 ]
  [ -z "$(find "$files" -type f ! -perm 600)" ]
  [ -z "$(find /tmp -maxdepth 1 -newer "$BATS_TEST_TMPDIR/arguments" -user "$(id -un)" -name 'tmp.*' -perm /077)" ]
}

@test "--secure as a dry run names the secrets and makes none" {
  run apply --secure --dry-run sleep
  [ "$status" -eq 0 ]
  [[ "$output" == *"Secret scalability-tester-tls"*"Secret scalability-tester-operator-token"* ]]
  untouched
  [ ! -e "$project/deployments/operator" ]
}

# ---- many frontends

with_operator() { export CLUSTER_APIS=postgresql.cnpg.io/v1; }
# What is behind the databases is there; frontends, which need a real one, are not waited for.
until_frontends() { CLUSTER_BREAK='*rollout status statefulset/scalability-tester-frontend*' run apply "$@"; [ "$status" -eq 201 ]; }
uri() { jq -r '.objects["Secret/monitoring/scalability-tester-database-app"].data.uri' "$CLUSTER/state.json" | base64 -d; }
names_of_frontend() {
  jq -r '.objects["Secret/monitoring/scalability-tester-tls"].data["tls.crt"]' "$CLUSTER/state.json" | base64 -d |
    openssl x509 -noout -ext subjectAltName
}
database_of_my_own() {
  kubectl apply -f "$project/deployments/namespace"
  echo "postgresql://me:secret@db.example/jobs" >"$BATS_TEST_TMPDIR/uri"
  kubectl -n monitoring create secret generic scalability-tester-database-app --from-file=uri="$BATS_TEST_TMPDIR/uri" \
    --dry-run=client -o yaml >"$BATS_TEST_TMPDIR/secret.yaml"
  kubectl apply -f "$BATS_TEST_TMPDIR/secret.yaml"
  : >"$CLUSTER/calls"
}

@test "--cluster: three frontends on one database do the jobs of a queue, after a second call as well" {
  [ -x "${POSTGRES_PROGRAMS:-/usr/lib/postgresql/15/bin}/initdb" ] || skip "needs PostgreSQL"
  run apply --timeout 60 --cluster --database postgresql sleep
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [[ "$output" == *'"scalability-tester-database" successfully rolled out'*'"scalability-tester-frontend" successfully rolled out'*"Ready: frontend sleep" ]]
  [ "$(jq '[.pods[] | select(.labels["app.kubernetes.io/component"] == "frontend")] | length' "$CLUSTER/state.json")" = 3 ]
  works sleep validation
  before=$(uri)
  run apply --timeout 60 --cluster --database postgresql sleep
  [ "$status" -eq 0 ] || { echo "$output"; false; }
  [ "$(uri)" = "$before" ]
  works sleep validation
}

@test "--cluster with CloudNativePG: the database is Ready before frontends come; only -v removes it" {
  with_operator
  until_frontends --cluster --database cloudnative-pg sleep
  [[ "$output" == *"clusters.postgresql.cnpg.io/scalability-tester-database condition met"*"statefulset/scalability-tester-frontend created"* ]]
  objects | grep Cluster/monitoring/scalability-tester-database
  objects | grep Service/monitoring/scalability-tester-frontend-nodes
  run ! grep Deployment/monitoring/scalability-tester-frontend <(objects)
  until_frontends --cluster --database cloudnative-pg sleep
  run apply
  [ "$status" -eq 0 ]
  objects | grep Cluster/
  run ! grep StatefulSet/ <(objects)
  run apply -v
  [ "$status" -eq 0 ]
  run ! grep Cluster/ <(objects)
}

@test "--cluster with a database of one's own: its Secret is enough, and must be there" {
  refused "there is no Secret scalability-tester-database-app in monitoring" --cluster sleep
  untouched
  database_of_my_own
  until_frontends --cluster sleep
  objects | grep StatefulSet/monitoring/scalability-tester-frontend
  run ! grep /scalability-tester-database$ <(objects)
  [ "$(uri)" = "postgresql://me:secret@db.example/jobs" ]
}

@test "--cluster in other namespaces: names of single frontends, policies and certificates are theirs" {
  few_folders namespace frontend cluster database sleep-queue security
  with_operator
  "$project/deployments-config.sh" - mon2 clients
  until_frontends --cluster --secure --database cloudnative-pg sleep
  [ -z "$(objects | grep /monitoring/)" ]
  objects | grep Service/mon2/scalability-tester-frontend-nodes
  jq -r '.objects["Secret/mon2/scalability-tester-tls"].data["tls.crt"]' "$CLUSTER/state.json" | base64 -d |
    openssl x509 -noout -checkhost scalability-tester-frontend-0.scalability-tester-frontend-nodes.mon2 | grep 'does match'
  [ "$(jq -r '.objects["NetworkPolicy/mon2/scalability-tester-frontend"].spec.egress | length' "$CLUSTER/state.json")" = 3 ]
}

@test "--secure: a certificate that lacks a name is renewed, the others stay" {
  cp "$project/deployments-apply.sh" "$BATS_TEST_TMPDIR"
  sed -i '/^scalability-tester-tls/s/,DNS:[*].*//' "$project/deployments-apply.sh"
  CLUSTER_BREAK='*rollout*' run apply --secure sleep
  run ! grep nodes <(names_of_frontend)
  before=$(secrets)
  cp "$BATS_TEST_TMPDIR/deployments-apply.sh" "$project"
  CLUSTER_BREAK='*rollout*' run apply --secure sleep
  names_of_frontend | grep 'DNS:[*].scalability-tester-frontend-nodes.monitoring'
  frontend=Secret/monitoring/scalability-tester-tls
  [ "$(secrets | jq "del(.\"$frontend\")")" = "$(jq "del(.\"$frontend\")" <<<"$before")" ]
  before=$(secrets)
  CLUSTER_BREAK='*rollout*' run apply --secure sleep
  [ "$(secrets)" = "$before" ]
}

@test "--cluster as a dry run shows database, frontends and the Secret that would be made" {
  run apply --dry-run --cluster --database postgresql sleep
  [ "$status" -eq 0 ]
  [[ "$output" == *"Secret scalability-tester-database-app"*/database/postgresql*"StatefulSet scalability-tester-database in monitoring"*/deployments/cluster*"StatefulSet scalability-tester-frontend in monitoring"*/sleep-queue* ]]
  [[ "$output" != *"Deployment scalability-tester-frontend"* ]]
  run apply --dry-run --cluster --database cloudnative-pg -v sleep
  [[ "$output" == *"kubectl -n monitoring wait --for=condition=Ready clusters.postgresql.cnpg.io/scalability-tester-database"*/deployments/cluster* ]]
  untouched
}

@test "a database that does not fit is refused before anything is touched" {
  refused "--database needs --cluster" --database postgresql sleep
  refused "not 'mysql'" --cluster --database mysql sleep
  refused "--cluster needs a queue" --cluster
  refused "speaks no TLS" --secure --cluster --database postgresql sleep
  refused "does not have CloudNativePG" --cluster --database cloudnative-pg sleep
  untouched
  database_of_my_own
  refused "is of a database of your own: delete the Secret first" --cluster --database postgresql sleep
  untouched
  with_operator
  echo postgresql://twofold:secret@scalability-tester-database/twofold >"$BATS_TEST_TMPDIR/uri"
  kubectl -n monitoring create secret generic scalability-tester-database-app --dry-run=client -o yaml \
    --from-file=uri="$BATS_TEST_TMPDIR/uri" >"$BATS_TEST_TMPDIR/secret.yaml"
  kubectl apply -f "$BATS_TEST_TMPDIR/secret.yaml"
  : >"$CLUSTER/calls"
  refused "is of postgresql: give --database postgresql, or delete the Secret first" --cluster --database cloudnative-pg sleep
  refused "is of postgresql: give --database postgresql, or delete the Secret first" --cluster sleep
  untouched
}

refused() { # refused MESSAGE ARGUMENT...
  local message=$1
  shift
  run apply "$@"
  [ "$status" -eq 200 ]
  [[ "$output" == *"$message"* ]]
}

@test "bad arguments are refused before anything is touched" {
  refused "'a/b' is not a queue name" sleep a/b
  refused "unknown option --fast" --fast
  refused "--timeout 'x'" --timeout x sleep
  refused "--timeout needs a value" --timeout
  refused "--renew needs --secure" --renew sleep
  refused "no folder " nothing
  refused "no folder " --overlay /nowhere sleep
  CLUSTER_BREAK=api-versions refused "does not reach a cluster" sleep
  untouched
}

@test "help has examples and exit codes" {
  run apply --help
  [ "$status" -eq 0 ]
  [[ "$output" == *Examples*"Exit codes"* ]]
}
