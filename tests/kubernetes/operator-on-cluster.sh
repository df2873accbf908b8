#!/usr/bin/env bash
# The operator on a real cluster (docs/operator.md): what its API server, CEL, rights and namespaces do that a fake might
# not, and what it says to all manifests. The programs run here, the operator with the token and the rights of its
# account; the pods of its WorkerPool need not run. It leaves the definitions and the cluster roles there, and nothing else.
#
#   KUBECONFIG=...  of an admin of a cluster that may be written to, without namespaces `validation`, `monitoring` and
#                   `workloads`; an API server and a controller manager will do, no node is needed
#   TWOFOLD_BIN=... the programs (build/dev/bin)
#   TWOFOLD_NODES=1  the nodes have the images, or deployments/configured says where they are: at the end the programs run
#                   as pods, too, and are validated
#
# Needs kubectl, fio, and python3 with yaml. The first thing that is not as it should be ends it, with 1.
set -euo pipefail
: "${KUBECONFIG:?the kubeconfig of an admin}" "${TWOFOLD_BIN:?the folder of the programs}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
files=$root/deployments/benchmark-operator
work=$(mktemp -d)
spaces=()
programs=()

cleanup() {
  kubectl delete -k "$files/policy" --ignore-not-found >/dev/null || true
  kubectl delete -k "$files/frontends" --ignore-not-found >/dev/null || true
  kubectl delete -f "$files/pods.yaml" --ignore-not-found >/dev/null || true
  kubectl delete validatingadmissionpolicybinding scalability-tester-perftest-pods --ignore-not-found >/dev/null || true
  kubectl delete frontends --all >/dev/null || true
  for space in "${spaces[@]}"; do kubectl delete namespace "$space" --timeout=60s >/dev/null || true; done
  for pid in "${programs[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap cleanup EXIT
trap 'echo "line $LINENO: not so: $BASH_COMMAND" >&2; tail -n 20 "$work"/*.log >&2' ERR

step() { printf '%s\n' "-- $*"; }
has() { [[ "$1" == *"$2"* ]] || { echo "no '$2' in: $1" >&2; return 1; }; }
# COMMAND...: fails, and this is what it says
refused() { if "$@" 2>&1; then echo "not refused: $*" >&2; return 1; fi; }
# NAME COMMAND...: a program; READY is the file that it writes once it serves
begin() {
  name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 &
  programs+=("$!")
}
awaited() { for _ in $(seq 300); do [ ! -e "$1" ] || return 0; sleep 0.1; done; return 1; }
address() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/frontend" "$1"; }

# NAME RUNTIME [MORE]: a Benchmark of fio; MORE of its spec, as inside a map
benchmark() {
  fio="{kind: Fio, spec: {direct: 0, ioengine: psync, size: 8M, runtime: $2}}"
  printf '{apiVersion: twofold.dev/v1alpha1, kind: Benchmark, metadata: {name: %s, namespace: validation}, ' "$1"
  printf 'spec: {template: %s%s}}\n' "$fio" "${3:+, $3}"
}
create() { benchmark "$@" | kubectl create -f -; }
trial() { benchmark may 1s | kubectl create -f - --dry-run=server >/dev/null 2>&1; }
change() { kubectl patch benchmark "$1" -n validation --type=merge -p "{\"spec\": $2}"; }
# REPLICAS [MORE]: a WorkerPool; MORE of its spec, as inside a map
pool() {
  pod='{automountServiceAccountToken: false, schedulerName: nobody, containers: [{name: backend, image: "none.invalid/none:1"}]}'
  printf '{apiVersion: twofold.dev/v1alpha1, kind: WorkerPool, metadata: {name: pool, namespace: monitoring}, '
  printf 'spec: {replicas: %s, queue: fio, template: {spec: %s}%s}}\n' "$1" "$pod" "${2:+, $2}"
}
# NAME [MORE]: a Benchmark with a worker of its own; MORE of its pod's spec, as inside a map
own() {
  container='{name: backend, image: "none.invalid/none:1", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}'
  pod="{schedulerName: nobody, securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, containers: [$container]"
  benchmark "$1" 1s "workers: {template: {spec: $pod${2:+, $2}}}}"
}
# [MORE]: an object of kube-perftest; MORE of its spec, as inside a map
perftest() {
  printf '{apiVersion: perftest.stackhpc.com/v1alpha1, kind: Fio, metadata: {name: x, namespace: validation}, '
  printf 'spec: {direct: 0, size: 8M, runtime: 1s%s}}\n' "${1:+, $1}"
}
scale_pool() { kubectl scale workerpool pool -n monitoring --replicas "$1"; }
# PATH VALUE
await_pool() { kubectl wait workerpool pool -n monitoring --for="jsonpath=$1=$2" --timeout=60s; }
pods_of_pool() { kubectl get pods -n monitoring -l twofold.dev/pool=pool -o name; }
await_creation() { await_pool '{.status.conditions[?(@.type=="PodsCreated")].reason}' "$1"; }
# NAME CONDITION REASON
await_reason() {
  kubectl wait benchmark "$1" -n validation --for="jsonpath={.status.conditions[?(@.type==\"$2\")].reason}=$3" --timeout=60s
}
# POD NAME: a program here is the worker of a pod that nobody runs
play() {
  label=$(kubectl get "$1" -n validation -o 'jsonpath={.spec.containers[0].env[?(@.name=="TWOFOLD_LABELS")].value}')
  TWOFOLD_LABELS=$label begin "$2" "$TWOFOLD_BIN/twofold-backend" --frontend "$(address worker)" --queue fio --backoff 0.2 -- fio
  kubectl patch "$1" -n validation --subresource=status --type=merge \
    -p '{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}'
}
# LINE: the operator says it
metric() { python3 -c 'import json, sys, urllib.request
address = json.load(open(sys.argv[1]))["http"]
sys.exit(sys.argv[2] not in urllib.request.urlopen(f"http://{address}/metrics").read().decode().splitlines())' "$work/second" "$1"; }
# NAME OPTION...
operator() {
  begin "$1" "$TWOFOLD_BIN/twofold-operator" --frontend "$(address client)" --kubeconfig "$work/account" --perftest \
    --measurements --namespace validation --worker-pools monitoring --own-workers --perftest-workers monitoring --http-address 127.0.0.1:0 --ready-file "$work/$1" "${@:2}"
  operator=${programs[-1]}
  awaited "$work/$1"
}

kubectl version
step "the definitions, also a second time"
for folder in crds perftest-crds crds perftest-crds; do
  kubectl apply --server-side --force-conflicts -k "$files/$folder" >/dev/null
done
kubectl wait --for=condition=Established crd/benchmarks.twofold.dev crd/loadtests.twofold.dev crd/iperfs.perftest.stackhpc.com --timeout=30s
step "the manifests"
for space in monitoring validation workloads; do
  kubectl create namespace "$space"
  spaces+=("$space")
done
find "$root/deployments" -name Kustomization -exec grep -L '^kind: Component' {} + | sort >"$work/folders"
# Kinds of others (cert-manager, CloudNativePG, KEDA, the Prometheus operator) are left out where the cluster has none.
while read -r file; do
  folder=$(dirname "$file")
  kubectl kustomize "$folder" | kubectl apply --server-side --force-conflicts --dry-run=server --validate=strict -f - \
    2>"$work/said" >/dev/null || ! grep -vE 'no matches for kind|^ensure CRDs are installed' "$work/said" ||
    { echo "not taken: $folder" >&2; exit 1; }
done <"$work/folders"
kubectl apply -f "$files/account.yaml" -f "$files/role.yaml" -f "$files/perftest/role.yaml" -f "$files/pools/role.yaml" \
  -f "$files/own-workers/role.yaml" >/dev/null
kubectl apply -k "$root/deployments/lifecycle/rights" >/dev/null
kubectl apply -k "$files/measurements" >/dev/null

step "the examples: ours, and those of kube-perftest"
kubectl create -f "$root/examples/operator" --dry-run=server
for file in "$root"/examples/benchmarks/*/*.yaml; do
  # A template of theirs says its version; in ours it need not.
  sed 's#twofold/v1#perftest.stackhpc.com/v1alpha1#; s#^  template:#&\n    apiVersion: perftest.stackhpc.com/v1alpha1#' "$file" |
    kubectl create -n validation -f - --dry-run=server
done | grep -c created | grep -x 25

step "who may run what"
kubectl apply -k "$files/policy" >/dev/null
# What an API server has just been told of it does not hold at once.
for _ in $(seq 100); do trial || break; done
has "$(refused create may 1s)" "namespace validation may not run Fio"
kubectl annotate namespace validation 'twofold.dev/kinds=IPerf, Fio' >/dev/null
for _ in $(seq 100); do ! trial || break; done
has "$(refused create may 1s 'queue: disks')" "may not use queue disks"
create may 1s >/dev/null
has "$(own own 'hostNetwork: true' | refused kubectl create -f -)" "may not use the network of nodes"
has "$(perftest 'hostNetwork: true' | refused kubectl create -f -)" "may not use the network of nodes"
perftest 'hostNetwork: false' | kubectl create -f - --dry-run=server >/dev/null
own own | kubectl create -f - --dry-run=server >/dev/null
kubectl delete benchmark may -n validation >/dev/null
kubectl delete -k "$files/policy" >/dev/null

step "who may ask for pods: whoever may create them, without any other policy"
kubectl create role creator -n validation --verb=create,update,patch,get --resource=benchmarks.twofold.dev,workerpools.twofold.dev,fios.perftest.stackhpc.com >/dev/null
kubectl create rolebinding creator -n validation --role=creator --user=creator >/dev/null
as_creator() { kubectl --as=creator "$@"; }
kubectl apply -f "$files/pods.yaml" >/dev/null
for _ in $(seq 100); do own own | as_creator create -f - --dry-run=server >/dev/null 2>&1 || break; done
has "$(own own | refused as_creator create -f -)" "creator may not create pods in namespace validation"
benchmark may 1s | as_creator create -f - --dry-run=server >/dev/null
pool 0 | sed 's/namespace: monitoring/namespace: validation/' >"$work/pool"
has "$(refused as_creator create -f "$work/pool")" "creator may not create pods in namespace validation"
kubectl create -f "$work/pool" >/dev/null
as_creator label workerpool pool -n validation some=label >/dev/null
has "$(refused as_creator patch workerpool pool -n validation --type=merge -p '{"spec": {"replicas": 1}}')" "may not create pods"
kubectl scale workerpool pool -n validation --replicas=0 >/dev/null
kubectl delete -f "$work/pool" >/dev/null
perftest | as_creator create -f - --dry-run=server >/dev/null  # it makes no pods yet
kubectl apply -k "$files/perftest-workers" >/dev/null
for _ in $(seq 100); do perftest | as_creator create -f - --dry-run=server >/dev/null 2>&1 || break; done
has "$(perftest | refused as_creator create -f -)" "creator may not create pods in namespace validation"
perftest | kubectl create -f - --dry-run=server >/dev/null
kubectl delete -k "$files/perftest-workers" >/dev/null

step "what Frontends allow"
mkdir "$work/cases"
# As files: the Frontends, each case, and what its refusal says.
python3 - "$root/tests/kubernetes/operator/frontend_cases.yaml" "$work/cases" <<'END'
import json, pathlib, sys, yaml
file, folder = yaml.safe_load(open(sys.argv[1])), pathlib.Path(sys.argv[2])
(folder / "frontends").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": file["frontends"]}))
for number, case in enumerate(file["cases"]):
    refused = case.pop("refused", "")
    case = {"apiVersion": "twofold.dev/v1alpha1", "metadata": {"name": "case", "namespace": "validation"}, **case}
    (folder / f"{number}.json").write_text(json.dumps(case))
    (folder / f"{number}.refused").write_text(refused)
END
# CASE: whether it is decided as it should be
decided() {
  if said=$(kubectl create -f "$work/cases/$1.json" --dry-run=server 2>&1); then
    [ ! -s "$work/cases/$1.refused" ]
  else
    [ -s "$work/cases/$1.refused" ] && [[ "$said" == *"$(cat "$work/cases/$1.refused")"* ]]
  fi
}
kubectl apply -k "$files/frontends" >/dev/null
for _ in $(seq 100); do trial || break; done
has "$(refused create may 1s)" "no params found"
kubectl create -f "$work/cases/frontends" >/dev/null
for file in "$work"/cases/*.json; do
  number=$(basename "$file" .json)
  for _ in $(seq 50); do ! decided "$number" || break; done
  decided "$number" || { cat "$file" "${file%json}refused" >&2; echo "is decided otherwise: $said" >&2; exit 1; }
done
# The Frontend that is not there is the operator's to find out.
benchmark may 1s 'frontendRef: nowhere' | kubectl create -f - --dry-run=server >/dev/null
refused kubectl patch frontend open --type=merge -p '{"spec": {"address": "elsewhere:1"}}' >/dev/null
kubectl delete -k "$files/frontends" >/dev/null
kubectl delete frontends --all >/dev/null

step "the programs"
kubectl config view --raw --minify >"$work/account"
kubectl --kubeconfig "$work/account" config set-credentials operator \
  --token="$(kubectl create token scalability-tester-operator -n monitoring)" >/dev/null
kubectl --kubeconfig "$work/account" config set-context --current --user=operator --namespace=monitoring >/dev/null
begin frontend "$TWOFOLD_BIN/twofold-frontend" fio --store "sqlite:$work/store" --ready-file "$work/frontend" \
  --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0
awaited "$work/frontend"
begin worker "$TWOFOLD_BIN/twofold-backend" --frontend "$(address worker)" --queue fio --label hostNetwork=false \
  --backoff 0.2 -- fio
operator first
leader=${programs[-1]}

step "a run, and its end"
create quick 1s 'permutations: {product: {bs: [4k, 1M]}}, repetitions: 2'
create later 1s 'ttlSecondsAfterFinished: 1'
await_reason later Running Queued
kubectl wait benchmark quick -n validation --for=condition=Succeeded --timeout=60s
has "$(kubectl get benchmarks quick -n validation)" "MiB/s"
kubectl wait benchmark later -n validation --for=delete --timeout=60s
has "$(kubectl get events -n validation -o jsonpath='{.items[*].reason}')" Succeeded

step "what cannot change, and what can"
create long 60s 'repetitions: 2'
await_reason long Running Running
has "$(refused change long '{"repetitions": 3}')" "repetitions cannot be changed"
has "$(refused change long '{"template": {"spec": {"bs": "8k"}}}')" "template cannot be changed"
has "$(refused change long '{"permutations": {"product": {"bs": ["8k"]}}}')" "permutations cannot be changed"
has "$(benchmark odd 1s 'maxparallel: 2' | refused kubectl create -f -)" "unknown field"
has "$(benchmark odd 2.5 | refused kubectl create -f -)" "spec.template.spec.runtime"
change long '{"suspend": true}'
await_reason long Running Suspended
change long '{"suspend": false, "activeDeadlineSeconds": 5}'
await_reason long Failed DeadlineExceeded
create wrong 1s 'nodes: {select: []}'
await_reason wrong Accepted InvalidSpec

step "a schedule"
{
  benchmark clock 1s 'schedule: "* * * * *", timeZone: Europe/Berlin'
  printf '%s\n' ---
  benchmark nonsense 1s 'schedule: 61 * * * *'
} | kubectl create -f -
await_reason nonsense Accepted InvalidSpec
await_reason clock Running Scheduled
has "$(refused change long '{"schedule": "* * * * *"}')" "a schedule cannot be added"
kubectl wait benchmark clock -n validation --for='jsonpath={.status.lastScheduleTime}' --timeout=90s
change clock '{"suspend": true}'
made=$(kubectl get benchmarks -n validation -o name | grep /clock-)
kubectl wait "$made" -n validation --for=condition=Succeeded --timeout=60s
kubectl delete benchmark clock -n validation
kubectl wait "$made" -n validation --for=delete --timeout=60s

step "another operator, after the leader was killed"
operator second
create over 2s 'repetitions: 3'
await_reason over Running Running
kill -KILL "$leader"
await_reason over Succeeded AllJobsSucceeded
has "$(kubectl get benchmark over -n validation -o jsonpath='{.status.jobs}/{.status.succeeded}')" 3/3

step "an object of kube-perftest"
perftest | kubectl create -f -
await_perftest() { kubectl wait fio.perftest.stackhpc.com x -n validation --for="jsonpath=$1=$2" --timeout=60s; }
await_perftest '{.status.phase}' Completed
kubectl delete fio.perftest.stackhpc.com x -n validation

step "a measurement: its pod is refused, then made; nobody runs it, so its end is written here"
load=(loadtest load -n validation)
await_load() { kubectl wait "${load[@]}" --for="jsonpath={.status.conditions[?(@.type==\"$1\")].reason}=$2" --timeout=60s; }
kubectl label namespace validation pod-security.kubernetes.io/enforce=restricted
kubectl create quota none -n validation --hard=pods=0
echo '{apiVersion: twofold.dev/v1alpha1, kind: LoadTest, metadata: {name: load, namespace: validation},
  spec: {queue: sleep, rate: "0.5", duration: 1s}}' | kubectl create -f -
await_load Running PodRefused
has "$(refused kubectl patch "${load[@]}" --type=merge -p '{"spec": {"rate": "2"}}')" "rate cannot be changed"
kubectl delete quota none -n validation
for _ in $(seq 300); do
  pod=$(kubectl get pods -n validation -l twofold.dev/measurement -o name)
  [ -z "$pod" ] || break
  sleep 0.2
done
kubectl patch "$pod" -n validation --subresource=status --type=merge -p '{"status": {"phase": "Succeeded", "containerStatuses": [
  {"name": "measurement", "ready": false, "restartCount": 0, "image": "i", "imageID": "i", "state": {"terminated": {"exitCode": 0,
    "reason": "Completed", "message": "{\"verdict\": \"pass\", \"why\": \"\", \"figures\": []}"}}}]}}'
await_load Succeeded Passed
kubectl delete "${load[@]}" --timeout=30s

step "a WorkerPool: its pods, its scale, and why there are not more"
has "$(pool 1 'maxUnavailable: 0' | refused kubectl create -f -)" "must be above 0"
has "$(pool 1 | sed 's/schedulerName/restartPolicy: Always, &/' | refused kubectl create -f -)" "restartPolicy"
has "$(pool 1 | sed "s/name: pool/name: $(printf 'x%.0s' $(seq 53))/" | refused kubectl create -f -)" "52 characters"
pool 2 | kubectl create -f -
await_pool '{.status.replicas}' 2
has "$(kubectl get --raw /apis/twofold.dev/v1alpha1/namespaces/monitoring/workerpools/pool/scale)" '"selector":"twofold.dev/pool=pool'
has "$(refused kubectl patch workerpool pool -n monitoring --type=merge -p '{"spec": {"queue": "other"}}')" "queue cannot be changed"
kubectl create quota small -n monitoring --hard=pods=3
kubectl wait quota small -n monitoring --for='jsonpath={.status.used.pods}=2' --timeout=60s
scale_pool 5
await_creation QuotaExceeded
await_pool '{.status.replicas}' 3
kubectl delete quota small -n monitoring
await_pool '{.status.replicas}' 5
kubectl label namespace monitoring pod-security.kubernetes.io/enforce=restricted
scale_pool 6
await_creation PodSecurityRefused
scale_pool 0
for _ in $(seq 300); do [ -n "$(pods_of_pool)" ] || break; done
[ -z "$(pods_of_pool)" ]
kubectl delete workerpool pool -n monitoring

step "workers of a run's own: refused, then made; nobody runs their pod, so a program here is its worker"
own refused 'hostNetwork: true' | kubectl create -f -
await_reason refused Failed PodSecurityRefused
own alone | kubectl create -f -
await_reason alone WorkersReady WorkersMissing
pod=$(kubectl get pods -n validation -l twofold.dev/pool -o name)
play "$pod" own
await_reason alone Succeeded AllJobsSucceeded
kubectl wait "$pod" -n validation --for=delete --timeout=60s
[ -z "$(kubectl get workerpools -n validation -o name)" ]
has "$(refused kubectl patch benchmark alone -n validation --type=merge \
  -p '{"spec": {"workers": {"template": {"spec": {"hostNetwork": true}}}}}')" "workers cannot be changed"
own invalid 'dnsPolicy: Nonsense' | kubectl create -f -
await_reason invalid Failed PodInvalid
has "$(kubectl get benchmark invalid -n validation -o 'jsonpath={.status.conditions[?(@.type=="Failed")].message}')" dnsPolicy

step "pods for an object of kube-perftest: refused, then made"
kubectl apply -k "$files/perftest-workers" >/dev/null
# The operator has to know the pools first.
for _ in $(seq 100); do ! metric 'twofold_operator_objects{controller="perftest-workers"} 6' || break; sleep 0.1; done
perftest 'mtu: 1400' | kubectl create -f -
await_perftest '{.status.conditions[?(@.type=="Failed")].reason}' PodSecurityRefused
kubectl delete fio.perftest.stackhpc.com x -n validation
kubectl label namespace validation pod-security.kubernetes.io/enforce-
perftest 'mtu: 1400, networkName: default/some, volumeClaimTemplate: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}' |
  kubectl create -f -
await_perftest '{.status.phase}' Pending
for _ in $(seq 300); do
  pod=$(kubectl get pods -n validation -l twofold.dev/benchmark=Fio -o name)
  [ -z "$pod" ] || break
  sleep 0.2
done
has "$(kubectl get "$pod" -n validation -o yaml)" "v1.multus-cni.io/default-network: default/some"
play "$pod" perftest
await_perftest '{.status.phase}' Completed
kubectl wait "$pod" -n validation --for=delete --timeout=60s
kubectl delete -k "$files/perftest-workers" >/dev/null
kubectl delete fio.perftest.stackhpc.com x -n validation

step "an operator that knows Frontends, and has a token for a namespace"
kubectl apply -f "$files/frontends/role.yaml" >/dev/null
has "$(refused kubectl auth can-i get secrets -n monitoring --as system:serviceaccount:monitoring:scalability-tester-operator)" no
mkdir "$work/tokens"
echo token-of-validation >"$work/tokens/default.validation.token"
kill -TERM "$operator"
operator third --frontends "$work/tokens"
create allowed 1s
await_reason allowed Running NoSuchFrontend
kubectl create -f "$root/examples/operator/frontend.yaml"
await_reason allowed Succeeded AllJobsSucceeded
create ended 60s
await_reason ended Running Running
allow() { kubectl patch frontend default --type=merge -p "{\"spec\": {\"namespaces\": [{\"name\": \"validation\", \"kinds\": [\"$1\"]}]}}"; }
allow IPerf
await_reason ended Failed Forbidden
allow '*'

step "an object that is deleted while it runs, and a namespace"
create gone 60s
await_reason gone Running Running
kubectl delete benchmark gone -n validation --timeout=30s
has "$("$TWOFOLD_BIN/twofold" runs --frontend "$(address client)")" cancelled
create left 60s
create waiting 60s
await_reason left Running Running
kubectl delete namespace validation --timeout=60s
spaces=(monitoring workloads)
[ -n "${TWOFOLD_NODES:-}" ] || { echo "all as it should be"; exit; }

# By kubectl alone: the pod that validates has the rights of an account that the script makes.
cp "$root/validate-scaling.sh" "$work"
# LIMIT SCALE
validate() {
  TWOFOLD_BIN=$work "$work/validate-scaling.sh" --json "$work/result.json" scalability-tester-backend-sleep monitoring 0.5 \
    scalability-tester-client-sleep validation "$@" 2>&1 || true
}
workers() { kubectl get deployment scalability-tester-backend-sleep -n monitoring -o "jsonpath={.$1}"; }

step "frontend, workers and load client as pods"
"$root/deployments-apply.sh" sleep
spaces=(monitoring workloads validation)
validate 4 1.8 | tee "$work/validated"
has "$(cat "$work/validated")" "*** PASS ***"
has "$(validate 2 2.5)" "Fail: too little growth"
kubectl autoscale deployment scalability-tester-backend-sleep -n monitoring --max=3
has "$(validate 2 1.8)" "is scaled by the HPA"
kubectl delete hpa scalability-tester-backend-sleep -n monitoring
has "$(workers spec.replicas)" 1
has "$(kubectl get roles,serviceaccounts,pods -n monitoring)" scalability-tester
[[ "$(kubectl get roles,serviceaccounts,pods -n monitoring)" != *twofold-validate* ]]

step "the operator as pods"
kubectl apply -k "$files" >/dev/null
kubectl rollout status deployment scalability-tester-operator -n monitoring --timeout=60s
has "$(kubectl logs deployment/scalability-tester-operator -n monitoring)" "Benchmarks of namespace validation"
create late 1s
await_reason late Accepted Checked
kubectl delete benchmark late -n validation --timeout=60s
echo "all as it should be"
