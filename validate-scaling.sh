#!/bin/sh
# Does doubling the workers raise the throughput enough? Needs sh, awk and kubectl (or curl).
# shellcheck disable=SC2317  # functions of the two worlds are called by name: ${world}_scale
set -u

usage() {
  cat <<'END'
Usage: validate-scaling.sh [OPTION]... DEPLOYMENT DEPLOYMENT_NAMESPACE SECS SERVICE SERVICE_NAMESPACE LIMIT SCALE

Scales DEPLOYMENT to 1, 2, 4 ... LIMIT workers, keeps as many jobs outstanding through the load
client behind SERVICE, and compares the throughput of each step with the one before.

  DEPLOYMENT           of the workers, e.g. scalability-tester-backend-sleep
  DEPLOYMENT_NAMESPACE where it and the frontend are, or localhost (with `twofold local`)
  SECS                 longest run time of one job, seconds; sizes warm-up and waits
  SERVICE              of the load client, e.g. scalability-tester-client-sleep
  SERVICE_NAMESPACE    where that is, or localhost
  LIMIT                most workers
  SCALE                least ratio of throughputs for twice the workers, e.g. 1.8

Options, or the environment variable in parentheses:
  --json FILE          where the result goes (TWOFOLD_JSON; ./validate-scaling.json)
  --steps "1 3 9"      other steps, growing, up to LIMIT; SCALE stays "for twice" (TWOFOLD_STEPS)
  --cap SECONDS        longest measurement of a step (TWOFOLD_CAP; 60 or 200 x SECS if more)
  --timeout SECONDS    longest wait for workers (TWOFOLD_TIMEOUT; 300 + SECS)
  --queue NAME         (TWOFOLD_QUEUE; DEPLOYMENT without scalability-tester-backend-)
  --client-url URL     of the load client, instead of the API server's proxy (TWOFOLD_CLIENT_URL)
  --frontend-url URL   the same for the frontend's HTTP port (TWOFOLD_FRONTEND_URL)

A step is measured until the 95 % interval of its ratio is on one side of SCALE, or to the cap:
then it is undecided, which counts as a fail. The first step, having no ratio, is measured until its
own error is at most 0.5 %. It is looked at when the window has grown by half, not all the time,
because a window that ends when one likes the result is biased.

Example:
  validate-scaling.sh scalability-tester-backend-sleep monitoring 2 \
                      scalability-tester-client-sleep validation 16 1.8
  TWOFOLD_DIR=.twofold validate-scaling.sh scalability-tester-backend-sleep localhost 0.2 \
                      scalability-tester-client-sleep localhost 16 1.8

Exit codes: 0 pass; N = number of failed checks, at most 125; 200 wrong arguments, nothing was
touched; 201 no verdict, as a call failed, or workers did not come or changed while they were measured;
130, 143 interrupted.
Unless nothing was touched, the deployment is left with one worker and the client stopped.
END
}

say() { printf '%s\n' "$*" >&2; }
refuse() { say "validate-scaling.sh: $* (see --help)"; exit 200; }
die() { say "validate-scaling.sh: $*"; exit 201; }

# Waits so that a signal is acted upon at once: a shell sees it only when its command has ended.
nap() { sleep "$1" & napping=$!; wait "$napping"; }

# The value of an arithmetic expression; `value KEY TEXT`: that of a line "KEY value" in a reply.
calc() { awk "BEGIN { print ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }
finite() { case $1 in '' | inf | nan) echo 1e9 ;; *) echo "$1" ;; esac; }
value() { printf '%s\n' "$2" | awk -v key="$1" '$1 == key { sub(/^[^ ]+ /, ""); print; exit }'; }

# ---- the two worlds: each sets up, scales, and counts "READY OTHERS" of the deployment

local_setup() {
  file=${TWOFOLD_DIR:-.twofold}/supervisor.json
  supervisor=$(sed -n 's/.*"http": *"\([^"]*\)".*/http:\/\/\1/p' "$file" 2>/dev/null)
  [ -n "$supervisor" ] || refuse "no local cluster in ${TWOFOLD_DIR:-.twofold}: start it with 'twofold local up', or set TWOFOLD_DIR"
  for url in deployments/$deployment "services/$service" services/scalability-tester-frontend; do
    curl -fsS -m 10 "$supervisor/$url" >/dev/null || refuse "the local cluster has no $url"
  done
  client_url=${client_url:-$(curl -fsS -m 10 "$supervisor/services/$service?type=plain")}
  frontend_url=${frontend_url:-$(curl -fsS -m 10 "$supervisor/services/scalability-tester-frontend?type=plain")}
}
local_scale() {
  curl -fsS -m 10 -X PUT "$supervisor/deployments/$deployment/scale?replicas=$1" >/dev/null
}
local_pods() {
  reply=$(curl -fsS -m 10 "$supervisor/deployments/$deployment?type=plain") || return 1
  printf '%s\n' "$reply" | awk '{ n[$1] = $2 }
    END { print n["ready"], n["running"] - n["ready"] + n["terminating"] + n["waiting"] }'
}
local_team() { curl -fsS -m 10 "$supervisor/deployments/$deployment?type=plain"; }
local_problems() { curl -fsS -m 10 "$supervisor/deployments/$deployment?type=plain" | grep -E '^(ready|terminating|waiting|restarts|last_exit) '; }

kube_setup() {
  command -v kubectl >/dev/null || refuse "kubectl is not there"
  # shellcheck disable=SC2016  # the dollars are for the template
  labels='{{range $k, $v := .spec.selector.matchLabels}}{{$k}}={{$v}},{{end}}'
  selector=$(kubectl -n "$namespace" get deployment "$deployment" -o go-template="$labels") ||
    refuse "no deployment $deployment in namespace $namespace"
  selector=${selector%,}
  kubectl -n "$service_namespace" get service "$service" >/dev/null ||
    refuse "no service $service in namespace $service_namespace"
  # KEDA makes an HPA as well. Who may not see them goes on.
  names="{{range .items}}{{if eq .spec.scaleTargetRef.name \"$deployment\"}}{{.metadata.name}} {{end}}{{end}}"
  scalers=$(kubectl -n "$namespace" get horizontalpodautoscalers -o go-template="$names" 2>/dev/null)
  [ -z "$scalers" ] || refuse "$deployment is scaled by the HPA ${scalers% }, too: delete that (or its ScaledObject) first"
}
kube_scale() { kubectl -n "$namespace" scale deployment "$deployment" --replicas="$1" >/dev/null; }
# What the template $1 makes of each pod; each_container: of each container in it.
kube_get_pods() { kubectl -n "$namespace" get pods -l "$selector" -o go-template="{{range .items}}$1{{end}}"; }
each_container() { printf '{{range .status.%sontainerStatuses}}%s{{end}}' initC "$1" c "$1"; }
# A line for each pod: name, phase, the Ready condition or "terminating", and why a container waits.
kube_list() {
  ready='{{range .status.conditions}}{{if eq .type "Ready"}}{{.status}}{{end}}{{end}}'
  waits=$(each_container '{{with .state.waiting}} {{.reason}}{{end}}')
  kube_get_pods "{{.metadata.name}} {{.status.phase}} {{if .metadata.deletionTimestamp}}terminating{{else}}$ready{{end}}$waits{{\"\\n\"}}"
}
# The first container that was started again, as arguments of `kubectl logs`.
kube_crasher() {
  # shellcheck disable=SC2016  # the dollars are for the template
  kube_get_pods '{{$pod := .metadata.name}}'"$(each_container '{{if .restartCount}}{{$pod}} -c {{.name}}{{"\n"}}{{end}}')" | head -n 1
}
kube_pods() {
  list=$(kube_list) || return 1
  printf '%s\n' "$list" | awk 'NF && $2 != "Failed" && $2 != "Succeeded" { if ($3 == "True") ++ready; else ++others }
    END { print ready + 0, others + 0 }'
}
kube_team() { kube_get_pods "{{.metadata.name}} {{.metadata.deletionTimestamp}}$(each_container ' {{.restartCount}}'){{\"\\n\"}}"; }
kube_problems() {
  kube_list | awk '$3 != "True" { print "pod " $1 ": " $2 ", " ($3 == "terminating" ? $3 : "not Ready") ($4 == "" ? "" : ", " $4) }'
  crasher=$(kube_crasher)
  if [ -n "$crasher" ]; then
    echo "end of the log of $crasher:"
    # shellcheck disable=SC2086  # three words
    kubectl -n "$namespace" logs --previous --tail=20 $crasher
  else
    waiting=$(kube_list | awk '$2 == "Running" && $3 == "False" { print $1; exit }')
    [ -n "$waiting" ] || return
    echo "end of the log of $waiting:"
    kubectl -n "$namespace" logs --tail=5 "$waiting"
  fi
}

# fetch URL NAMESPACE SERVICE:PORT PATH: by the URL if there is one, else through the API server.
fetch() {
  if [ -n "$1" ]; then curl -fsS -m 10 "$1$4"; else kubectl get --raw "/api/v1/namespaces/$2/services/$3/proxy$4"; fi
}
client() { fetch "$client_url" "$service_namespace" "$service:9996" "$1"; }
ask() { reply=$(client "$1") || die "the load client does not answer $1"; }

registered() {
  page=$(fetch "$frontend_url" "$namespace" scalability-tester-frontend:9998 /metrics) || return 1
  printf '%s\n' "$page" | awk -v series="twofold_worker_processes{queue=\"$queue\"}" \
    '$1 == series { count = $2; found = 1 } END { print found ? count + 0 : "none" }'
}

# ---- steps

# Who works: differs when a worker has come, gone, crashed or lost the frontend.
team() { "${world}_team" && registered; }

# Scales and waits until exactly $1 workers are Ready and registered, and none is ending.
deploy() {
  touched=1
  "${world}_scale" "$1" || die "cannot scale $deployment to $1"
  begin=$(date +%s) told=$begin
  while :; do
    pods=$("${world}_pods") || die "cannot look at the workers of $deployment"
    known=$(registered) || die "the frontend does not answer /metrics"
    [ "$known" != none ] || die "the frontend has no queue '$queue' (give --queue)"
    [ "$pods $known" = "$1 0 $1" ] && return
    now=$(date +%s)
    state="${pods% *} of $1 Ready, ${pods#* } others, $known registered at the frontend"
    if [ $((now - begin)) -ge "$timeout" ]; then
      "${world}_problems" >&2
      [ "${pods% *}" -le "$1" ] || state="$state; does something else scale it?"
      die "$deployment is not where it should be after $timeout s: $state"
    fi
    [ $((now - told)) -lt 10 ] || { say "  waiting for $1 workers: $state"; told=$now; }
    nap "$poll"
  done
}

# Until as many jobs as workers have ended and two job times have passed.
warm_up() {
  ask "/parallel?value=$1&type=plain"
  [ "$reply" = "$1" ] || die "the load client runs $reply jobs at a time instead of $1 (its --parallel-max?)"
  ask "/reset?type=plain"
  begin=$(date +%s)
  while :; do
    ask "/window?type=plain"
    holds "$(value seconds "$reply") >= 2 * $secs && $(value jobs "$reply") >= $1" && break
    [ $(($(date +%s) - begin)) -lt "$timeout" ] || die "$1 workers have ended $(value jobs "$reply") jobs in $timeout s"
    nap "$poll"
  done
  ask "/reset?type=plain"
}

# Measures until the verdict is clear or the cap is reached; leaves window, ratio, low, high, verdict.
measure() {
  look=$(calc "10 * $secs > 2 ? 10 * $secs : 2")
  while :; do
    nap "$look"
    ask "/window?type=plain"
    window=$reply verdict=undecided
    seconds=$(value seconds "$window") error=$(value log_error "$window") steady=$(value steady "$window")
    case "$seconds $error $steady" in [0-9]*' '[0-9in]*' '[tf]*) ;; *) die "the reply of the load client to /window is not understood: $window" ;; esac
    if [ -n "$base" ]; then judge; else judge_first; fi
    holds "$seconds >= $cap" && return
    [ "$steady" = true ] && [ "$verdict" != undecided ] && return
    verdict=undecided
    say "  $1 workers, $(printf '%.0f' "$seconds") s: undecided, error $error${ratio:+, ratio $ratio ($low..$high)}, steady: $steady"
    look=$(calc "0.5 * $seconds < $cap - $seconds ? 0.5 * $seconds : $cap - $seconds + 0.01")
  done
}
judge_first() { if holds "$(finite "$error") <= 0.005"; then verdict=measured; fi; }
judge() {
  ask "/compare?type=plain&$base&limit=$least"
  ratio=$(value ratio "$reply") low=$(value lower "$reply") high=$(value upper "$reply")
  verdict=$(value verdict "$reply")
  case $verdict in pass | fail | undecided) ;; *) die "the reply of the load client to /compare is not understood: $reply" ;; esac
}

fail() { fails=$((fails + 1)); echo "FAIL: $*"; }

# What there is to say of the step; then it is the base of the next one.
report() {
  now=$(printf '%f' "$(value throughput "$window")") failed=$(value failed "$window")
  if [ -n "$base" ]; then
    echo "Throughput: $previous -> $now = $(printf '%.2f' "$ratio") increase on reqs-per-sec (pods: $1)"
  else
    echo "Throughput: $now on reqs-per-sec (pods: $1)"
  fi
  [ "$steady" = true ] || verdict=undecided
  case $verdict in
    fail) fail "$1 workers: the ratio is under $least ($low..$high)" ;;
    undecided) fail "$1 workers: undecided after $seconds s: $(why_undecided)" ;;
  esac
  [ "$failed" = 0 ] || { fail "$1 workers: $failed jobs failed: $(value error "$window")"; verdict=$verdict+failures; }
  rows="$rows$1 $now ${ratio:--} ${low:--} ${high:--} $verdict
"
  json_steps="$json_steps${json_steps:+,}
    {\"workers\": $1, \"throughput\": $(number "$now"), \"log_error\": $(number "$error"), \"seconds\": $(number "$seconds"), \"ratio\": $(number "$ratio"), \"lower\": $(number "$low"), \"upper\": $(number "$high"), \"least\": $(number "$least"), \"failed_jobs\": $failed, \"verdict\": \"$verdict\"}"
  previous=$now base_error=$error
  base="throughput=$now&log_error=$error&df=$(value df "$window")&seconds=$seconds"
}
why_undecided() {
  if [ "$steady" != true ]; then
    echo "not steady: $(value reason "$window")"
  elif [ -z "$base" ]; then
    echo "its error is $error, more than 0.005"
  else
    imprecise=
    holds "$(finite "$base_error") > $(finite "$error")" && imprecise="; the base is the less precise part (error $base_error): a longer --cap helps"
    echo "$least is inside $low..$high$imprecise"
  fi
}
spoiled() {
  "${world}_problems" >&2
  die "the workers changed while $1 were measured, so there is no verdict: a crash, an eviction, or does something else scale them (HPA, ScaledObject, CronJob)?"
}
number() { case $1 in '' | *[!0-9.e+-]*) echo null ;; *) echo "$1" ;; esac; }

step() {
  say "--- $1 workers"
  least='' ratio='' low='' high=''
  [ -z "$base" ] || least=$(awk -v s="$scale" -v f="$1" -v b="$last" 'BEGIN { print f == 2 * b ? s : exp(log(s) * log(f / b) / log(2)) }')
  deploy "$1"
  warm_up "$1"
  team=$(team) || die "cannot look at the workers of $deployment"
  measure "$1"
  [ "$(team)" = "$team" ] || spoiled "$1"
  report "$1"
  last=$1
}

# ---- the end

distribution() {
  ask "/nodes?type=plain"
  echo
  printf '%s\n' "$reply"
}

stop() {
  left=
  client "/parallel?value=0&type=plain" >/dev/null || left="the load client may still send jobs"
  "${world}_scale" 1 || left="${left:+$left; }$deployment could not be scaled back to 1"
  touched=0
  [ -z "$left" ]
}

# However it ends: nothing is left running that was not before.
clean_up() {
  code=$?
  trap '' INT TERM
  kill "$napping" 2>/dev/null
  [ "$touched" = 1 ] || exit "$code"
  if stop; then say "ended early: scaled $deployment back to 1 worker, stopped the load client"; else say "ended early, LEFT BEHIND: $left"; fi
  exit "$code"
}

results() {
  echo
  printf '%s' "$rows" | awk 'BEGIN { form = "%8s %14s %8s   %-20s %s\n"; printf form, "workers", "throughput", "ratio", "interval", "verdict" }
    { printf form, $1, sprintf("%.3f", $2), $3 == "-" ? "-" : sprintf("%.3f", $3), $4 == "-" ? "-" : sprintf("%.3f .. %.3f", $4, $5), $6 }'
  printf '{"deployment": "%s", "queue": "%s", "scale": %s, "limit": %s, "job_seconds": %s, "fails": %s, "pass": %s, "steps": [%s\n]}\n' \
    "$deployment" "$queue" "$scale" "$limit" "$secs" "$fails" "$([ "$fails" = 0 ] && echo true || echo false)" "$json_steps" >"$json" || die "cannot write $json"
  echo "Result: $json"
}

# ---- arguments

is_number() { case $1 in '' | . | *[!0-9.]* | *.*.*) false ;; *) holds "$1 > 0" ;; esac; }
is_whole() { case $1 in '' | *[!0-9]* | ???????*) false ;; *) [ "$1" -gt 0 ] ;; esac; }
is_name() { case $1 in '' | -* | *[!A-Za-z0-9._-]*) false ;; esac; }

powers() { n=1; while [ "$n" -le "$1" ]; do printf '%s' "${sep-}$n"; sep=' ' n=$((2 * n)); done; }

check() {
  for name in "$deployment" "$namespace" "$service" "$service_namespace" "$queue"; do is_name "$name" || refuse "'$name' is not a name"; done
  is_number "$secs" || refuse "SECS '$secs' is not a number above 0"
  is_whole "$limit" || refuse "LIMIT '$limit' is not a whole number from 1"
  is_number "$scale" || refuse "SCALE '$scale' is not a number above 0"
  is_number "$cap" || refuse "--cap '$cap' is not a number above 0"
  is_whole "$timeout" || refuse "--timeout '$timeout' is not a whole number from 1"
  before=0
  for n in $steps; do
    if ! is_whole "$n" || [ "$n" -le "$before" ] || [ "$n" -gt "$limit" ]; then
      refuse "--steps '$steps' do not grow from 1 to $limit"
    fi
    before=$n
  done
  [ "$before" -gt 0 ] || refuse "--steps are empty"
  case $namespace,$service_namespace in
    localhost,localhost) world=local poll=0.1 ;;
    localhost,* | *,localhost) refuse "one namespace is localhost, the other is not" ;;
    *) world=kube poll=1 ;;
  esac
}

json=${TWOFOLD_JSON:-validate-scaling.json} steps=${TWOFOLD_STEPS:-} cap=${TWOFOLD_CAP:-} timeout=${TWOFOLD_TIMEOUT:-}
queue=${TWOFOLD_QUEUE:-} client_url=${TWOFOLD_CLIENT_URL:-} frontend_url=${TWOFOLD_FRONTEND_URL:-}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -*) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
    *) break ;;
  esac
  case $1 in
    --json) json=$2 ;;
    --steps) steps=$2 ;;
    --cap) cap=$2 ;;
    --timeout) timeout=$2 ;;
    --queue) queue=$2 ;;
    --client-url) client_url=$2 ;;
    --frontend-url) frontend_url=$2 ;;
    *) refuse "unknown option $1" ;;
  esac
  shift 2
done
[ $# = 7 ] || refuse "7 arguments are needed, not $#"
deployment=$1 namespace=$2 secs=$3 service=$4 service_namespace=$5 limit=$6 scale=$7
queue=${queue:-${deployment#scalability-tester-backend-}}
is_number "$secs" || refuse "SECS '$secs' is not a number above 0"
cap=${cap:-$(calc "200 * $secs > 60 ? 200 * $secs : 60")} timeout=${timeout:-$(calc "int(300 + $secs)")}
if is_whole "$limit"; then steps=${steps:-$(powers "$limit")}; fi
check

fails=0 touched=0 napping='' base='' previous='' base_error='' rows='' json_steps='' last=1
"${world}_setup"
{ true >>"$json"; } 2>/dev/null || refuse "cannot write the result to $json (--json)"
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "Scaling of $deployment: $steps workers, at least $scale x for twice as many"
echo "Warm-up: until as many jobs as workers have ended and 2 x $secs s have passed. Measured: until decided, at most $cap s."
say "--- can $limit workers be deployed?"
touched=1
ask "/parallel?value=0&type=plain"
deploy "$limit"
deploy 0
for n in $steps; do step "$n"; done
distribution
if ! stop; then die "LEFT BEHIND: $left"; fi
results
if [ "$fails" = 0 ]; then echo "*** PASS ***"; exit 0; fi
echo "*** $fails FAILs ***"
[ "$fails" -le 125 ] || fails=125
exit "$fails"
