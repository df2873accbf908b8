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

What is removed has the label app.kubernetes.io/part-of=twofold. Rules of prometheus-adapter stay, as
it does not start without them. Namespaces stay, and those that are there are used as they are. Without the Prometheus operator there is no ServiceMonitor; that
is said, and the rest applied. Autoscaling rules are up to you: kubectl apply -k
deployments/QUEUE-queue/scaling-...

Options:
  -v, --volumes       volumes too: remove the earlier ones, make those of the queues
  --overlay FOLDER    from deployments-config.sh (deployments/configured, if it is there)
  --timeout SECONDS   longest wait for each deployment to be Ready, or to be gone (300)
  --dry-run           show what would be done

Examples:
  deployments-apply.sh sleep              # frontend and the sleep queue
  deployments-apply.sh -v sleep media     # two queues, and the data volume of media
  deployments-apply.sh iperf mpi          # workers for benchmarks (deployments/README.md, Benchmarks)
  deployments-apply.sh                    # only remove
  deployments-apply.sh -v                 # only remove, volumes too

Exit codes: 0 done; 200 wrong arguments, nothing was touched; 201 a call failed or something did not
become Ready: what is wrong is shown, and it is left as it is for a look; 130, 143 interrupted.
USAGE
}

# Runs kubectl, or shows the call.
call() { if [ -n "$dry_run" ]; then echo "kubectl $*"; else kubectl "$@"; fi; }

rendered() { echo "$work/$(echo "$1" | tr / +).yaml"; }
render() { # render FOLDER
  [ -d "$source/$1" ] || refuse "no folder $source/$1$hint"
  kubectl kustomize "$source/$1" >"$(rendered "$1")" || refuse "kustomize does not take $source/$1"
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
  part=app.kubernetes.io/part-of=twofold
  kinds=horizontalpodautoscalers,cronjobs,jobs,deployments,statefulsets,ingresses,services,networkpolicies
  kinds=$kinds,poddisruptionbudgets,roles,rolebindings,serviceaccounts
  ! served keda.sh || kinds=scaledobjects.keda.sh,$kinds
  ! served monitoring.coreos.com || kinds=$kinds,servicemonitors.monitoring.coreos.com
  [ -z "$volumes" ] || kinds=$kinds,persistentvolumeclaims
  for namespace in $namespaces; do
    remove_labelled deployments "$part,app.kubernetes.io/component=client" -n "$namespace"
  done
  for namespace in $namespaces; do remove_labelled "$kinds" "$part" -n "$namespace"; done
  remove_shared
}

# What is in no namespace may serve a second deployment, in other namespaces.
remove_shared() {
  if [ -n "$dry_run" ]; then others='' unclaimed=NAME; else others=$(bindings) unclaimed=$(unclaimed_volumes); fi
  [ -n "$others" ] || remove_labelled clusterroles,clusterrolebindings "$part"
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
  objects "$(rendered "$1")" |
    awk '$2 == "Deployment" || $2 == "StatefulSet" { print $3, tolower($2) "/" $4 }' >"$work/workloads"
  while read -r namespace workload; do
    call -n "$namespace" rollout status "$workload" --timeout="${timeout}s" </dev/null && continue
    trouble "$namespace" "$workload" >&2
    die "${workload#*/} in $namespace is not Ready"
  done <"$work/workloads"
}

# What there is to see of a deployment that does not become Ready: the log is that of the first
# container that was started again, or else of the first pod that runs and is not Ready.
# shellcheck disable=SC2016  # the dollars are for the templates
trouble() { # trouble NAMESPACE KIND/NAME
  labels='{{range $k, $v := .spec.selector.matchLabels}}{{$k}}={{$v}},{{end}}'
  selector=$(kubectl -n "$1" get "${2%/*}" "${2#*/}" -o go-template="$labels") || return
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

# ---- arguments

source='' volumes='' timeout=300 dry_run='' hint=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -v | --volumes) volumes=1 ;;
    --dry-run) dry_run=1 ;;
    --overlay) need_value "$@"; source=$2; shift ;;
    --timeout) need_value "$@"; timeout=$2; shift ;;
    -*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
is_whole "$timeout" || refuse "--timeout '$timeout' is not a whole number from 1"
for queue; do is_queue "$queue" || refuse "'$queue' is not a queue name"; done
configured=$root/deployments/configured
if [ -z "$source" ]; then
  source=$root/deployments
  [ ! -d "$configured" ] || source=$configured
fi
[ "$source" = "$root/deployments" ] || hint=" (run deployments-config.sh again?)"
need_kubectl

folders=namespace
[ $# = 0 ] || folders="$folders frontend/service frontend"
for queue; do
  [ -z "$volumes" ] || [ ! -d "$source/$queue-queue/volume" ] || folders="$folders $queue-queue/volume"
  folders="$folders $queue-queue"
done
work_folder
for folder in $folders; do render "$folder"; done
namespaces=$(objects "$(rendered namespace)" | awk '{ print $4 }')
if [ -n "$dry_run" ]; then
  : >"$work/served"
else
  kubectl api-versions >"$work/served" || refuse "kubectl does not reach a cluster"
  kubectl get namespaces -o name >"$work/namespaces" || refuse "kubectl cannot see the namespaces"
fi

remove
[ $# -gt 0 ] || folders=
for folder in $folders; do
  apply "$folder"
  wait_ready "$folder"
done
[ -z "$dry_run" ] || exit 0
if [ $# = 0 ]; then
  echo "Removed. The namespaces stay: $(echo "$namespaces" | tr '\n' ' ')"
else
  echo "Ready: frontend $*"
fi
