#!/bin/sh
# Removes an earlier deployment and applies queues anew. Needs sh and kubectl.
set -u
# shellcheck source=scripts/deployments.sh
. "$(dirname "$0")/scripts/deployments.sh"

usage() {
  cat <<'USAGE'
Usage: deployments-apply.sh [OPTION]... [QUEUE]...

Removes an earlier deployment, then applies the namespaces, the frontend and each QUEUE in turn
(deployments/QUEUE-queue), waiting until all of it is Ready. Without QUEUE it only removes.

Removes what has the label app.kubernetes.io/part-of=twofold, except your benchmarks (deployments/watch), the operator that
runs Benchmarks (deployments/benchmark-operator) and the rules of prometheus-adapter, which does not start without them.
Namespaces stay; existing ones are used as they are. Without the Prometheus operator there is no ServiceMonitor: the script says so and applies the rest. Autoscaling
rules are up to you: kubectl apply -k deployments/QUEUE-queue/scaling-...

Options:
  --cluster           three frontends that share a PostgreSQL database, in place of one: each serves some of
                      the queues, and those of one that ends go to the others (deployments/README.md)
  --database NAME     with --cluster: apply this database as well. cloudnative-pg: three servers, by that
                      operator; postgresql: one server, for trying out. Without it the database is that of
                      the Secret scalability-tester-database-app. It stays when the rest is removed
  --secure            for shared clusters: mutual TLS, tokens and tight network policies. Makes a CA,
                      certificates and tokens as Secrets of the cluster, or takes the existing ones, and
                      renews certificates 30 days before they expire. The files that you need to connect
                      go to deployments/operator, for you alone. Needs openssl
  --secrets-only      with --secure: the namespaces and these Secrets, and nothing else, for the Helm chart
  --renew             with --secure: replace all certificates and tokens; the CA stays
  --metrics-api       the frontend answers the API server: HPAs scale by queues without Prometheus and KEDA
                      (deployments/QUEUE-queue/scaling-own). Needs rights on cluster roles and in kube-system
  --deletion-cost     a Deployment that shrinks takes idle workers first, as far as the frontend has said in
                      time which these are (docs/scaling-workers.md). Needs Kubernetes 1.30, and rights on
                      roles and admission policies
  -v, --volumes       volumes too: remove the earlier ones and the database with its data, make those of
                      the queues
  --overlay FOLDER    from deployments-config.sh (deployments/configured, if it exists)
  --timeout SECONDS   longest wait for each deployment to be Ready, or to be gone (300)
  --dry-run           show what would be done

Examples:
  deployments-apply.sh sleep              # frontend and the sleep queue
  deployments-apply.sh -v sleep media     # two queues, and the data volume of media
  deployments-apply.sh iperf mpi          # workers for benchmarks (deployments/README.md, Benchmarks)
  deployments-apply.sh --secure sleep     # the first example with TLS, tokens and policies
  deployments-apply.sh --cluster --database postgresql sleep   # three frontends, to try it out
  deployments-apply.sh                    # only remove
  deployments-apply.sh -v                 # only remove, volumes too

Exit codes: 0 done; 200 wrong arguments, nothing was touched; 201 a call failed or something did not
become Ready: the script shows what, and leaves it for inspection; 130, 143 interrupted.
USAGE
}

# Runs kubectl, or shows the call.
call() { if [ -n "$dry_run" ]; then echo "kubectl $*"; else kubectl "$@"; fi; }

# render FOLDER: what is applied of it; with --secure what security/enable makes of that.
rendered() { echo "$work/$(echo "$1" | tr / +).yaml"; }
render() {
  [ -d "$source/$1" ] || refuse "no folder $source/$1$hint"
  built=$source/$1
  components=
  case $1 in
    frontend* | cluster) for addition in $additions; do components="$components $root/deployments/frontend/$addition"; done ;;
  esac
  [ -z "$secure" ] || components="$components $root/deployments/security/enable"
  if [ -n "$components" ]; then
    built=$work/overlay
    mkdir -p "$built" || die "cannot write $built"
    {
      echo "resources: [$(path_from "$built" "$source/$1")]"
      echo "components:"
      for component in $components; do echo "  - $(path_from "$built" "$component")"; done
    } >"$built/kustomization.yaml"
  fi
  kubectl kustomize "$built" >"$(rendered "$1")" || refuse "kustomize does not take $source/$1"
}

# Whether the cluster has an API group.
served() { grep -q "^$1/" "$work/served"; }

# ---- remove

remove_labelled() { # remove_labelled KINDS LABELS [OPTION]...
  removed=$1 labels=$2
  shift 2
  call delete "$removed" -l "$labels" "$@" --ignore-not-found --cascade=foreground --timeout="${timeout}s" ||
    die "cannot remove the earlier deployment"
}

# Load clients first: then no work is lost with the workers. What scales goes before what it scales.
remove() {
  part=app.kubernetes.io/part-of=twofold,app.kubernetes.io/component!=operator
  kinds=horizontalpodautoscalers,cronjobs,jobs,deployments,statefulsets,daemonsets,ingresses,services,networkpolicies
  kinds=$kinds,poddisruptionbudgets,roles,rolebindings,serviceaccounts
  ! served monitoring.coreos.com || kinds=$kinds,servicemonitors.monitoring.coreos.com
  [ -n "$dry_run" ] || [ -z "$(pools)" ] || kinds=workerpools.twofold.dev,$kinds
  [ -z "$volumes" ] || kinds=$kinds,persistentvolumeclaims
  ! served keda.sh || kinds=scaledobjects.keda.sh,$kinds
  [ -z "$volumes" ] || ! served postgresql.cnpg.io || kinds=$kinds,clusters.postgresql.cnpg.io
  for namespace in $namespaces; do
    remove_labelled deployments "$part,app.kubernetes.io/component=client" -n "$namespace"
  done
  remove_api_services
  for namespace in $namespaces; do remove_labelled "$kinds" "$part" -n "$namespace"; done
  remove_shared
}

# Of any namespace. Where their definition is not there are none.
pools() { kubectl get workerpools.twofold.dev -A -l "$part" -o name 2>/dev/null; }

# Before the Service that they lead to: while one leads nowhere, no namespace of the cluster can be deleted.
remove_api_services() {
  [ -z "$dry_run" ] || return 0
  for api_service in $(own_api_services); do
    call delete apiservices "$api_service" --ignore-not-found --timeout="${timeout}s" || die "cannot remove the APIService $api_service"
  done
}
# Those that lead into our namespaces. Who may not know has none.
own_api_services() {
  kubectl get apiservices -l "$part" \
    -o go-template='{{range .items}}{{.metadata.name}} {{with .spec.service}}{{.namespace}}{{end}}{{"\n"}}{{end}}' 2>/dev/null |
    awk -v ours="$(echo "$namespaces" | tr '\n' ' ')" 'index(" " ours, " " $2 " ") { print $1 }'
}

# What is in no namespace may serve a second deployment, in other namespaces.
remove_shared() {
  # The one of --metrics-api. Who may not know has none.
  if [ -z "$dry_run" ] && [ -n "$(kubectl -n kube-system get rolebindings -l "$part" -o name 2>/dev/null)" ]; then
    remove_labelled rolebindings "$part" -n kube-system
  fi
  if [ -n "$dry_run" ]; then others='' unclaimed=NAME; else others=$(bindings) unclaimed=$(unclaimed_volumes); fi
  [ -n "$others" ] || remove_labelled clusterroles,clusterrolebindings "$part"
  # That of --deletion-cost: clusters before 1.30 have no such kind.
  if [ -z "$others$dry_run" ] && [ -n "$(kubectl get validatingadmissionpolicies -l "$part" -o name 2>/dev/null)" ]; then
    remove_labelled validatingadmissionpolicies,validatingadmissionpolicybindings "$part"
  fi
  [ -n "$volumes" ] || return 0
  for volume in $unclaimed; do
    call delete persistentvolumes "$volume" --ignore-not-found --timeout="${timeout}s" || die "cannot remove the volume $volume"
  done
}
# That are left, of whatever namespace. Who may not know keeps the roles.
bindings() { kubectl get rolebindings -A -l "$part" -o name || echo unknown; }
# Our volumes that are no other namespace's.
unclaimed_volumes() {
  kubectl get persistentvolumes -l "$part" \
    -o go-template='{{range .items}}{{.metadata.name}} {{with .spec.claimRef}}{{.namespace}}{{end}}{{"\n"}}{{end}}' |
    awk -v ours="$(echo "$namespaces" | tr '\n' ' ')" 'NF == 1 || index(" " ours, " " $2 " ") { print $1 }'
}

# ---- secrets: in files of $work, which only we can read, and in no argument of a program

# A line for each certificate: Secret, where (m: the frontend's namespace, c: those of clients), and its
# names. A frontend is reached by `kubectl port-forward` as well, by KEDA from another namespace, and beside
# others by its own name. That of benchmarks is for what runs Benchmarks (deployments/benchmark-operator); operator is you.
certificates() {
  cat <<CERTIFICATES
scalability-tester-tls m DNS:scalability-tester-frontend,DNS:scalability-tester-frontend.$monitoring,DNS:localhost,IP:127.0.0.1,DNS:*.scalability-tester-frontend-nodes.$monitoring
scalability-tester-worker-tls m DNS:scalability-tester-backend
scalability-tester-prometheus-tls m DNS:scalability-tester-prometheus
scalability-tester-keda-tls m DNS:scalability-tester-keda
scalability-tester-benchmarks-tls m DNS:scalability-tester-benchmarks
scalability-tester-operator-tls m DNS:scalability-tester-operator
scalability-tester-client-tls c DNS:scalability-tester-client
CERTIFICATES
}
# The same of tokens: Secret, where, role and name.
tokens() {
  cat <<'TOKENS'
scalability-tester-worker-token m worker workers
scalability-tester-client-token c client load
scalability-tester-prometheus-token m read-only prometheus
scalability-tester-benchmarks-token m client benchmarks
scalability-tester-operator-token m admin operator
TOKENS
}

# where m|c: the namespaces.
where() { if [ "$1" = m ]; then echo "$monitoring"; else echo "$namespaces" | grep -vFx "$monitoring" || echo "$monitoring"; fi; }

# fetch_secret NAMESPACE NAME KEY...: into $work/secrets/KEY; fails if it is not there, or not whole.
fetch_secret() {
  from=$1 name=$2 values=
  shift 2
  for key; do values="$values{{index .data \"$key\"}}{{\"\\n\"}}"; done
  kubectl -n "$from" get secret "$name" -o go-template="$values" >"$secrets/values" 2>/dev/null || return 1
  for key; do
    read -r value && printf '%s' "$value" | base64 -d >"$secrets/$key" 2>/dev/null && [ -s "$secrets/$key" ] || return 1
  done <"$secrets/values"
}

# put_secret NAMESPACE NAME KEY...: from $work/secrets/KEY, with the next apply_secrets.
put_secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\ndata:\n' "$2" "$1"
  shift 2
  for key; do printf '  %s: "%s"\n' "$key" "$(base64 <"$secrets/$key" | tr -d '\n')"; done
} >>"$secrets/objects"
# All in one call, so that who is interrupted has none or all.
apply_secrets() {
  [ -s "$secrets/objects" ] || return 0
  kubectl apply --server-side --force-conflicts -f "$secrets/objects" || die "cannot make the secrets"
  : >"$secrets/objects"
}

sign() { # sign NAMES: tls.crt and tls.key, for both ends of a connection
  printf 'subjectAltName=%s\n' "$1" >"$secrets/names"
  common=${1%%,*}
  {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=${common#DNS:}" \
      -keyout "$secrets/tls.key" -out "$secrets/request" &&
      openssl x509 -req -in "$secrets/request" -CA "$secrets/ca.crt" -CAkey "$secrets/ca.key" -CAcreateserial \
        -days 365 -extfile "$secrets/names" -out "$secrets/tls.crt"
  } 2>"$work/openssl" || die "openssl: $(cat "$work/openssl")"
}

make_ca() {
  fetch_secret "$monitoring" scalability-tester-authority ca.crt ca.key && return
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=Twofold CA" \
    -keyout "$secrets/ca.key" -out "$secrets/ca.crt" 2>"$work/openssl" || die "openssl: $(cat "$work/openssl")"
  put_secret "$monitoring" scalability-tester-authority ca.crt ca.key
}

# The names of a certificate, written as those of `certificates`.
names_of() {
  openssl x509 -noout -ext subjectAltName -in "$1" 2>/dev/null | sed -n '2 { s/IP Address:/IP:/g; s/ //g; p; }'
}

# Whether the Secret has a certificate of this CA for these names that is good for 30 days.
is_current() { # is_current NAMESPACE NAME NAMES
  [ -z "$renew" ] && fetch_secret "$1" "$2" tls.crt tls.key && [ "$(names_of "$secrets/tls.crt")" = "$3" ] &&
    openssl verify -CAfile "$secrets/ca.crt" "$secrets/tls.crt" >/dev/null 2>&1 &&
    openssl x509 -checkend 2592000 -noout -in "$secrets/tls.crt" >/dev/null 2>&1
}

make_certificates() {
  certificates >"$work/certificates"
  while read -r name place names; do
    for namespace in $(where "$place"); do
      is_current "$namespace" "$name" "$names" </dev/null && continue
      sign "$names"
      put_secret "$namespace" "$name" ca.crt tls.crt tls.key </dev/null
    done
  done <"$work/certificates"
}

# Lines of the tokens that namespaces have at the Frontend `default`, which are made by hand (docs/operator.md).
namespace_tokens() {
  # shellcheck disable=SC2016  # the dollars are for the template
  kubectl -n "$monitoring" get secret scalability-tester-operator-frontends \
    -o go-template='{{range $key, $value := .data}}{{$key}} {{$value}}{{"\n"}}{{end}}' 2>/dev/null |
    sed -n 's/^default\.\([^. ]*\)\.token /\1 /p' |
    while read -r namespace value; do printf 'client namespace-%s %s\n' "$namespace" "$(printf '%s' "$value" | base64 -d)"; done
}

# The token of each role; `tokens`, which the frontend has, is made of them.
make_tokens() {
  tokens >"$work/tokens"
  : >"$secrets/tokens"
  while read -r name place role who; do
    first=$(where "$place" | head -n 1)
    if [ -n "$renew" ] || ! fetch_secret "$first" "$name" token </dev/null; then
      openssl rand -hex 32 | tr -d '\n' >"$secrets/token" || die "openssl makes no token"
    fi
    for namespace in $(where "$place"); do put_secret "$namespace" "$name" token </dev/null; done
    printf '%s %s %s\n' "$role" "$who" "$(cat "$secrets/token")" >>"$secrets/tokens"
  done <"$work/tokens"
  namespace_tokens >>"$secrets/tokens"
  put_secret "$monitoring" scalability-tester-tokens tokens
}

# What a person needs, with a file for curl that keeps the token off its command line.
write_operator() {
  fetch_secret "$monitoring" scalability-tester-operator-tls ca.crt tls.crt tls.key || die "cannot read the operator's certificate"
  fetch_secret "$monitoring" scalability-tester-operator-token token || die "cannot read the operator's token"
  rm -rf "$operator"
  mkdir "$operator" || die "cannot write $operator"
  # What is forwarded to localhost is not there for a proxy.
  printf 'noproxy = "localhost"\ncacert = "%s/ca.crt"\ncert = "%s/tls.crt"\nkey = "%s/tls.key"\nheader = "Authorization: Bearer %s"\n' \
    "$operator" "$operator" "$operator" "$(cat "$secrets/token")" >"$secrets/.curlrc"
  for key in ca.crt tls.crt tls.key token .curlrc; do
    cp "$secrets/$key" "$operator" || die "cannot write $operator"
  done
}

secure_secrets() {
  if [ -n "$dry_run" ]; then
    { certificates && tokens; } | awk '{ print "  Secret " $1 }'
    return
  fi
  make_ca
  make_certificates
  make_tokens
  apply_secrets
  write_operator
}

# ---- the database of --cluster

# Which --database the URL in $work/secrets/uri is of; empty: one that others look after.
database_of_uri() {
  case $(cat "$secrets/uri") in
    *@scalability-tester-database/*) echo postgresql ;;
    *@scalability-tester-database-rw[.:/]*) echo cloudnative-pg ;;
  esac
}

# Before anything is touched: frontends find the database by this Secret, so it must be the one that is meant.
check_database() {
  secret=scalability-tester-database-app
  [ "$database" != cloudnative-pg ] || served postgresql.cnpg.io ||
    refuse "the cluster does not have CloudNativePG (postgresql.cnpg.io)"
  if fetch_secret "$monitoring" "$secret" uri; then
    there=$(database_of_uri)
    [ "$there" = "$database" ] || refuse "the Secret $secret in $monitoring is of ${there:-a database of your own}:" \
      "${there:+give --database $there, or }delete the Secret first"
  else
    [ -n "$database" ] || refuse "there is no Secret $secret in $monitoring whose key uri has the database's URL:" \
      "make it, or give --database"
  fi
}

# The server for trying out has a random password, made once. That of CloudNativePG comes from the operator.
database_secret() {
  [ "$database" = postgresql ] || return 0
  if [ -n "$dry_run" ]; then
    echo "  Secret scalability-tester-database-app"
    return
  fi
  fetch_secret "$monitoring" scalability-tester-database-app uri password && return
  head -c 16 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$secrets/password"
  printf 'postgresql://twofold:%s@scalability-tester-database/twofold?sslmode=disable' "$(cat "$secrets/password")" >"$secrets/uri"
  put_secret "$monitoring" scalability-tester-database-app uri password
  apply_secrets
}

# ---- apply

# From the output of kustomize, without what the cluster cannot take and namespaces that it has: those
# may be somebody's, with labels of their own.
wanted() {
  awk -v me="$me" -v served="$work/served" -v there="$work/namespaces" '
    function end_object() {
      if (kind == "Namespace" && there_is["namespace/" name]) print me ": namespace " name " is there already" >"/dev/stderr"
      else if (kind != "" && !is_served[version]) print me ": left out " kind " " name ": the cluster does not have " version >"/dev/stderr"
      else printf "%s", object
      object = kind = ""
    }
    BEGIN {
      while ((getline line <served) > 0) is_served[line] = 1
      while ((getline line <there) > 0) there_is[line] = 1
    }
    /^---/ { end_object() }
    /^[a-z]/ { part = $1 }
    /^apiVersion:/ { version = $2 }
    /^kind:/ { kind = $2 }
    part == "metadata:" && /^  name:/ { name = $2; gsub(/"/, "", name) }
    { object = object $0 "\n" }
    END { end_object() }' "$1"
}

apply() { # apply FOLDER
  if [ -n "$dry_run" ]; then
    echo "kubectl apply -k $source/$1"
    objects "$(rendered "$1")" | awk '{ print "  " $2 " " $4 ($3 == "-" ? "" : " in " $3) }'
  else
    wanted "$(rendered "$1")" >"$work/wanted"
    [ ! -s "$work/wanted" ] || kubectl apply -f "$work/wanted" || die "cannot apply $source/$1"
  fi
}

wait_ready() { # wait_ready FOLDER
  objects "$(rendered "$1")" | awk '
    $2 == "Deployment" || $2 == "StatefulSet" || $2 == "DaemonSet" { print $3, tolower($2) "/" $4, "rollout status" }
    $2 == "WorkerPool" { print $3, "workerpools.twofold.dev/" $4, "wait --for=condition=Ready" }
    $1 ~ "^postgresql.cnpg.io/" { print $3, "clusters.postgresql.cnpg.io/" $4, "wait --for=condition=Ready" }' >"$work/workloads"
  while read -r namespace workload how; do
    # shellcheck disable=SC2086  # two words
    call -n "$namespace" $how "$workload" --timeout="${timeout}s" </dev/null && continue
    trouble "$namespace" "$workload" >&2
    die "${workload#*/} in $namespace is not Ready"
  done <"$work/workloads"
}

# What there is to see of a deployment that does not become Ready: the log is that of the first
# container that was started again, or else of the first pod that runs and is not Ready.
# shellcheck disable=SC2016  # the dollars are for the templates
trouble() { # trouble NAMESPACE KIND/NAME
  of=.spec.selector.matchLabels
  case $2 in workerpools.*) of=.spec.template.metadata.labels ;; esac
  labels="{{range \$k, \$v := $of}}{{\$k}}={{\$v}},{{end}}"
  case $2 in
    clusters.*) selector=cnpg.io/cluster=${2#*/} ;;
    *) selector=$(kubectl -n "$1" get "${2%/*}" "${2#*/}" -o go-template="$labels") || return ;;
  esac
  selector=${selector%,}
  echo "--- pods"
  kubectl -n "$1" get pods -l "$selector" -o wide
  echo "--- warnings"
  # By creation: newer events have no lastTimestamp.
  kubectl -n "$1" get events --field-selector type=Warning --sort-by=.metadata.creationTimestamp | grep -F "${2#*/}" | tail -n 10
  started_again=$(printf '{{range .status.%sontainerStatuses}}{{if .restartCount}}{{$pod}} -c {{.name}}{{"\\n"}}{{end}}{{end}}' initC c)
  crasher=$(kubectl -n "$1" get pods -l "$selector" \
    -o go-template="{{range .items}}{{\$pod := .metadata.name}}$started_again{{end}}" | head -n 1)
  if [ -n "$crasher" ]; then
    echo "--- end of the log of $crasher"
    # shellcheck disable=SC2086  # three words
    kubectl -n "$1" logs --previous --tail=20 $crasher
  else
    ready='{{range .status.conditions}}{{if eq .type "Ready"}}{{.status}}{{end}}{{end}}'
    waiting=$(kubectl -n "$1" get pods -l "$selector" \
      -o go-template="{{range .items}}{{.metadata.name}} {{.status.phase}} $ready{{\"\\n\"}}{{end}}" | awk '$2 == "Running" && $3 == "False" { print $1; exit }')
    [ -n "$waiting" ] || return
    echo "--- end of the log of $waiting"
    kubectl -n "$1" logs --tail=5 "$waiting"
  fi
}

# Without a policy the frontend could change pods as a whole.
check_policies() {
  kubectl get validatingadmissionpolicies -o name >"$work/policies" ||
    refuse "--deletion-cost: no ValidatingAdmissionPolicy can be seen; that needs Kubernetes 1.30, and the right to list them"
}

# ---- arguments

source='' volumes='' cluster='' additions='' database='' secure='' secrets_only='' renew='' timeout=300 dry_run='' hint=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -v | --volumes) volumes=1 ;;
    --dry-run) dry_run=1 ;;
    --cluster) cluster=1 ;;
    --metrics-api | --deletion-cost) additions="$additions ${1#--}" ;;
    --database) need_value "$@"; database=$2; shift ;;
    --secure) secure=1 ;;
    --secrets-only) secrets_only=1 ;;
    --renew) renew=1 ;;
    --overlay) need_value "$@"; source=$2; shift ;;
    --timeout) need_value "$@"; timeout=$2; shift ;;
    -*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
is_whole "$timeout" || refuse "--timeout '$timeout' is not a whole number from 1"
[ -z "$renew" ] || [ -n "$secure" ] || refuse "--renew needs --secure as well"
[ -z "$secrets_only" ] || [ "$secure:$#" = 1:0 ] || refuse "--secrets-only needs --secure as well, and no queue"
case $database in
  '') ;;
  cloudnative-pg | postgresql) [ -n "$cluster" ] || refuse "--database needs --cluster as well" ;;
  *) refuse "--database is cloudnative-pg or postgresql, not '$database'" ;;
esac
[ -z "$cluster" ] || [ $# -gt 0 ] || refuse "--cluster needs a queue"
for addition in $additions; do [ $# -gt 0 ] || refuse "--$addition needs a queue"; done
[ "$secure$database" != 1postgresql ] ||
  refuse "--secure: the server for trying out speaks no TLS; use cloudnative-pg, or a database of your own"
[ -z "$secure" ] || command -v openssl >/dev/null || refuse "--secure needs openssl"
for queue; do is_queue "$queue" || refuse "'$queue' is not a queue name"; done
configured=$root/deployments/configured
if [ -z "$source" ]; then
  source=$root/deployments
  [ ! -d "$configured" ] || source=$configured
fi
for addition in $additions; do
  [ "$source" = "$root/deployments" ] || refuse "--$addition: $source is of deployments-config.sh, so give it to that one"
done
[ "$source" = "$root/deployments" ] || hint=" (run deployments-config.sh again?)"
need_kubectl

frontend=frontend
[ -z "$cluster" ] || frontend=cluster
folders=namespace
[ -z "$secrets_only" ] || folders="$folders $frontend"
if [ $# -gt 0 ]; then
  [ -z "$secure" ] || folders="$folders security/policies"
  [ -z "$database" ] || folders="$folders database/$database"
  [ -n "$cluster" ] || folders="$folders frontend/service"
  folders="$folders $frontend"
fi
for queue; do
  [ -z "$volumes" ] || [ ! -d "$source/$queue-queue/volume" ] || folders="$folders $queue-queue/volume"
  folders="$folders $queue-queue"
done
operator=$root/deployments/operator
umask 077
work_folder
secrets=$work/secrets
mkdir "$secrets" || die "cannot write $secrets"
for folder in $folders; do render "$folder"; done
namespaces=$(objects "$(rendered namespace)" | awk '{ print $4 }')
monitoring=$([ "$secrets_only:$#" = :0 ] || objects "$(rendered "$frontend")" | awk '$4 == "scalability-tester-frontend" { print $3; exit }')
if [ -n "$dry_run" ]; then
  : >"$work/served"
else
  kubectl api-versions >"$work/served" || refuse "kubectl does not reach a cluster"
  kubectl get namespaces -o name >"$work/namespaces" || refuse "kubectl cannot see the namespaces"
  [ -z "$cluster" ] || check_database
  [ $# = 0 ] || ! grep -q '^kind: ValidatingAdmissionPolicy$' "$(rendered "$frontend")" || check_policies
fi

if [ -n "$secrets_only" ]; then
  apply namespace
  secure_secrets
  exit 0
fi
remove
[ $# -gt 0 ] || folders=
for folder in $folders; do
  apply "$folder"
  if [ "$folder" = namespace ]; then
    [ -z "$secure" ] || secure_secrets
    database_secret
  fi
  wait_ready "$folder"
done
[ -z "$dry_run" ] || exit 0
if [ $# = 0 ]; then
  echo "Removed. The namespaces stay: $(echo "$namespaces" | tr '\n' ' ')"
else
  echo "Ready: frontend $*"
  [ -z "$secure" ] || echo "To connect: the files of $operator (deployments/README.md, Shared clusters)"
fi
