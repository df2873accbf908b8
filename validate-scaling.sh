#!/bin/sh
# Does doubling the workers raise the throughput enough? Needs sh, awk and kubectl (or curl).
# shellcheck disable=SC2317  # functions of the two worlds are called by name: ${world}_scale
set -u
export LC_ALL=C # numbers have points

usage() {
  cat <<'END'
Usage: validate-scaling.sh [OPTION]... DEPLOYMENT DEPLOYMENT_NAMESPACE SECS SERVICE SERVICE_NAMESPACE LIMIT SCALE

Scales DEPLOYMENT to 1, 2, 4 ... and LIMIT workers, makes the load client behind SERVICE keep as many
jobs outstanding, and compares the throughput of each step with that of the step before.

  DEPLOYMENT           of the workers, e.g. scalability-tester-backend-sleep
  DEPLOYMENT_NAMESPACE of the deployment and the frontend, or localhost (with `twofold local`, where
                       names may do without scalability-tester-: backend-sleep)
  SECS                 longest run time of one job, seconds; sizes warm-up and waits
  SERVICE              of the load client, e.g. scalability-tester-client-sleep
  SERVICE_NAMESPACE    of the service, or localhost
  LIMIT                most workers
  SCALE                least ratio of throughputs for twice the workers, e.g. 1.8; for F times
                       the workers it is SCALE to the power of log2(F)

Options, or the environment variable in parentheses:
  --json FILE          file for the result, written step by step (TWOFOLD_JSON; ./validate-scaling.json)
  --steps "1 3 9"      other steps, growing, up to LIMIT (TWOFOLD_STEPS)
  --repeat N           all steps N times, each time with new pods, for verdicts on any pods; choose N
                       beforehand, or follow the advice of a verdict once (TWOFOLD_REPEAT; 1)
  --pods these         verdicts on the measured pods, as if workers did not differ (TWOFOLD_PODS; any)
  --cap SECONDS        longest measurement of a step (TWOFOLD_CAP; 60 or 200 x SECS if more)
  --html FILE          a report of the result as well, made by the program twofold (TWOFOLD_HTML)
  --timeout SECONDS    longest wait for workers (TWOFOLD_TIMEOUT; 300 + SECS)
  --queue NAME         (TWOFOLD_QUEUE; DEPLOYMENT without scalability-tester-backend-)
  --client-url URL     of the load client, instead of the API server's proxy (TWOFOLD_CLIENT_URL)
  --frontend-url URL   the same for the frontend's HTTP port; of several frontends, of the one that serves
                       the queue (TWOFOLD_FRONTEND_URL)
                       Both are asked without a proxy, unless .curlrc names one

A step is measured until its verdict is clear and its own error is small enough for the base of the
next step, or to the cap. The load client looks at the step each time its window has grown by half.
Each look spends a part of the 5 % that all may be wrong, because a window that ends when somebody
likes the result is biased. The verdicts come at the end, from all measurements: pass or fail if the
interval of the ratio is on one side of SCALE, else undecided, which does not pass either. The
interval holds for any pods, also those of another deployment, so it accounts for how much workers
differ. If they differ, only more pods make it narrower: --repeat. A step in which every job failed
is the last one.

FILE exists from the start, and is complete JSON at any time. Its "verdict" is interrupted until the
end, then pass, fail (at least one check), undecided (no fail) or none (see "reason"). "pass" is true
for pass only. Its fields: proto/twofold/v1/validation.proto.

The table at the end says where the time of a job went (seconds: wait, run, overhead) and how many
cores the workers kept busy, and a sentence says what held the workers back, as far as the numbers
support it. The last sentence but the count of checks names the cause of the verdict: too little
growth, failed jobs, or both. The steps are measured in the order given; --repeat measures all of them again, so a
drift of the cluster shows as repeats that differ. Steps that shrink or come twice are refused.

Example:
  validate-scaling.sh scalability-tester-backend-sleep monitoring 2 \
                      scalability-tester-client-sleep validation 16 1.8
  TWOFOLD_DIR=.twofold validate-scaling.sh scalability-tester-backend-sleep localhost 0.2 \
                      scalability-tester-client-sleep localhost 16 1.8

Exit codes: 0 pass; N = number of checks that did not pass, failed and undecided ones, at most 125;
200 wrong arguments, nothing was touched; 201 no verdict: a call failed, or workers did not start,
keep crashing or changed while they were measured; 129, 130, 143 interrupted.
Except after 200, the deployment is left with one worker and the client stopped.
END
}

say() { printf '%s\n' "$*" >&2; }
refuse() { outcome=none reason=$*; say "validate-scaling.sh: $* (see --help)"; exit 200; }
die() { outcome=none reason=$*; say "validate-scaling.sh: $*"; exit 201; }

# Waits in the background, as a shell handles a signal only when its command has ended.
nap() { sleep "$1" & napping=$!; wait "$napping"; }

# The value of an arithmetic expression; `value KEY TEXT`: that of a line "KEY value" in a reply.
calc() { awk "BEGIN { print ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }
finite() { case $1 in '' | inf | nan) echo 1e9 ;; *) echo "$1" ;; esac; }
# For people; decisions are made with all digits.
round() { printf '%.4g' "$1"; }
value() { printf '%s\n' "$2" | awk -v key="$1" '$1 == key { sub(/^[^ ]+ /, ""); print; exit }'; }

# ---- the two worlds: each sets up, scales, and counts "READY OTHERS" of the deployment's workers,
# with the word "loop" after them if they keep crashing

# call CURL_ARGUMENT...: the body of a good answer. The text of a bad one goes to standard error. A proxy of the
# environment is not for our own programs; one in .curlrc is.
call() {
  answer=$(unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY && curl "$@" -sS -m 10 -w '\n%{http_code}') || return 1
  case ${answer##*"$newline"} in
    2??) printf '%s\n' "${answer%"$newline"*}" ;;
    *) say "  ${answer%"$newline"*}"; return 1 ;;
  esac
}
newline='
'

# Whoever can write to these files could send us anywhere. The folder is entered first, so that nobody
# can replace it between the check and the use.
trusted() {
  for file; do
    [ -n "$(find -H "$file" -prune \( -user "$(id -u)" -o -user 0 \) ! -perm -020 ! -perm -002)" ] || return 1
  done
}
local_state() {
  cd "$1" 2>/dev/null && [ -r supervisor.json ] || return 1
  trusted . supervisor.json || return 2
  cat supervisor.json secret
}

local_setup() {
  state=${TWOFOLD_DIR:-.twofold}
  files=$(local_state "$state") # in a shell of its own
  case $? in
    0) ;;
    2) refuse "$state is not trusted: it and its files must be of you or root, and nobody else may write to them" ;;
    *) refuse "no local cluster in $state: start it with 'twofold local up', or set TWOFOLD_DIR" ;;
  esac
  address=$(printf '%s\n' "$files" | sed -n 's/.*"http": *"\([^"]*\)".*/http:\/\/\1/p')
  secret=${files##*"$newline"}
  for url in "deployments/$deployment" "services/$service" services/scalability-tester-frontend; do
    supervisor "$url" >/dev/null || refuse "the local cluster has no $url"
  done
  client_url=${client_url:-$(supervisor "services/$service?type=plain")}
  frontend_url=${frontend_url:-$(supervisor "services/scalability-tester-frontend?type=plain")}
}
# supervisor PATH [CURL_ARGUMENT]...: -q, as .curlrc may have a token that is not for the supervisor;
# the secret comes through a pipe, as everybody sees arguments.
supervisor() {
  path=$1
  shift
  printf 'header = "Authorization: Bearer %s"\n' "$secret" | call -q -K - "$@" "$address/$path"
}
local_team() { supervisor "deployments/$deployment?type=plain"; }
local_scale() {
  reply=$(supervisor "deployments/$deployment/scale?replicas=$1&type=plain" -X PUT) || return 1
  restarts=$(value restarts "$reply") # so far
}
local_pods() {
  reply=$(local_team) || return 1
  printf '%s\n' "$reply" | awk -v before="${restarts:-0}" '{ n[$1] = $2 }
    END { print n["ready"], n["running"] - n["ready"] + n["terminating"] + n["waiting"], (n["restarts"] - before >= 3 ? "loop" : "") }'
}
local_problems() {
  local_team | grep -E '^(ready|terminating|waiting|restarts|last_exit) '
  [ -s "$state/logs/$deployment-0.log" ] || return
  echo "end of the log of $deployment-0:"
  tail -n 5 "$state/logs/$deployment-0.log"
}

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
  frontends=$([ -n "$frontend_url" ] || several_frontends)
  [ -z "$scalers" ] || refuse "$deployment is scaled by the HPA ${scalers% }, too: delete that (or its ScaledObject) first"
}
# Those of a StatefulSet, whose names stay (deployments/cluster). One alone is behind its Service.
several_frontends() {
  kubectl -n "$namespace" get pods -l app.kubernetes.io/part-of=twofold,app.kubernetes.io/component=frontend \
    -o go-template='{{range .items}}{{.metadata.name}}{{"\n"}}{{end}}' 2>/dev/null |
    awk '{ pods = pods " " $1 } END { if (NR > 1) print pods }'
}
kube_scale() { kubectl -n "$namespace" scale deployment "$deployment" --replicas="$1" >/dev/null; }
# What the template $1 makes of each pod; each_container: of each container in it.
kube_get_pods() { kubectl -n "$namespace" get pods -l "$selector" -o go-template="{{range .items}}$1{{end}}"; }
each_container() { printf '{{range .status.%sontainerStatuses}}%s{{end}}' initC "$1" c "$1"; }
# A line for each pod: name, phase, the Ready condition or "terminating", and why a container waits.
kube_list() {
  is_ready='{{range .status.conditions}}{{if eq .type "Ready"}}{{.status}}{{end}}{{end}}'
  waits=$(each_container '{{with .state.waiting}} {{.reason}}{{end}}')
  kube_get_pods "{{.metadata.name}} {{.status.phase}} {{if .metadata.deletionTimestamp}}terminating{{else}}$is_ready{{end}}$waits{{\"\\n\"}}"
}
# The first container that was started again, as arguments of `kubectl logs`.
kube_crasher() {
  # shellcheck disable=SC2016  # the dollars are for the template
  kube_get_pods '{{$pod := .metadata.name}}'"$(each_container '{{if .restartCount}}{{$pod}} -c {{.name}}{{"\n"}}{{end}}')" | head -n 1
}
kube_pods() {
  list=$(kube_list) || return 1
  printf '%s\n' "$list" | awk 'NF && $2 != "Failed" && $2 != "Succeeded" { if ($3 == "True") ++ready; else ++others }
    / CrashLoopBackOff/ && $3 != "terminating" { loop = "loop" }
    END { print ready + 0, others + 0, loop }'
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

# fetch URL NAMESPACE KIND/NAME:PORT PATH: by the URL if there is one, else through the API server. Only
# a URL that was given gets what is in .curlrc: a token, certificates.
fetch() {
  case $1 in
    '') kubectl get --raw "/api/v1/namespaces/$2/$3/proxy$4" ;;
    "$given_client_url" | "$given_frontend_url") call "$1$4" ;;
    *) call -q "$1$4" ;;
  esac
}
client() { fetch "$client_url" "$service_namespace" "services/$service:9996" "$1"; }
ask() { reply=$(client "$1") || die "the load client does not answer $1"; }

# Of several frontends, each knows of the queues that it serves, or of shards of them: their pages, one after
# the other. One that is away does not matter if another one answers.
metrics() {
  [ -n "$frontends" ] || { fetch "$frontend_url" "$namespace" services/scalability-tester-frontend:9998 /metrics; return; }
  answered=''
  for pod in $frontends; do fetch '' "$namespace" "pods/$pod:9998" /metrics 2>/dev/null && answered=1; done
  [ -n "$answered" ]
}
registered() {
  page=$(metrics) || return 1
  printf '%s\n' "$page" | awk -v series="twofold_worker_processes{queue=\"$queue\"}" \
    '{ sub(/,shard="[0-9]+"/, "") } $1 == series { count += $2; found = 1 } END { print found ? count + 0 : "none" }'
}
# Of the workers so far, seconds: "CPU THROTTLED REPORTED", the last is how long the reports cover.
used() {
  metrics 2>/dev/null | awk -v labels="{queue=\"$queue\"}" '
    BEGIN { n = split("cpu throttled reported", what, " ") }
    { sub(/,shard="[0-9]+"/, "") }
    { for (i = 1; i <= n; ++i) if ($1 == "twofold_worker_" what[i] "_seconds_total" labels) v[i] += $2 }
    END { for (i = 1; i <= n; ++i) printf "%s%s", (i in v ? v[i] : 0), (i < n ? " " : "\n") }'
}
# used_since BEFORE WORKERS: "CORES SHARE": cores that were busy, and the share of the time in which a
# quota held a worker up; "- -" if no worker has said anything since.
used_since() {
  printf '%s %s\n' "$1" "$(used)" | awk -v workers="$2" '
    function share(x) { return x < 0 ? 0 : x > 1 ? 1 : x }
    $6 <= $3 { print "- -"; next }
    { printf "%.6g %.6g\n", ($4 - $1) / ($6 - $3) * workers, share(($5 - $2) / ($6 - $3)) }'
}
build() {
  metrics 2>/dev/null | sed -n 's/^twofold_build_info{version="\([^"]*\)",commit="\([^"]*\)".*/\1 (\2)/p' | head -n 1
}

# ---- steps

# Who works: differs when a worker has come, gone, crashed or lost the frontend.
team() { "${world}_team" && registered; }

# Leaves ready and others; ends it if the workers, of which there should be $1, keep crashing.
look_at_pods() {
  pods=$("${world}_pods") || die "cannot look at the workers of $deployment"
  ready=${pods%% *} others=${pods#* }
  loop=${others#* } others=${others%% *}
  [ "$loop" = loop ] && [ "$1" -gt 0 ] || return 0
  "${world}_problems" >&2
  die "the workers of $deployment keep crashing ($ready of $1 Ready)"
}

# Scales and waits until exactly $1 workers are Ready and registered, and none is ending.
deploy() {
  touched=1
  "${world}_scale" "$1" || die "cannot scale $deployment to $1"
  begin=$(date +%s) told=$begin
  while :; do
    look_at_pods "$1"
    known=$(registered) || die "the frontend does not answer /metrics"
    [ "$known" != none ] || die "the frontend has no queue '$queue' (give --queue)"
    [ "$ready $others $known" = "$1 0 $1" ] && return
    now=$(date +%s)
    seen="$ready of $1 Ready, $others others, $known registered at the frontend"
    if [ $((now - begin)) -ge "$timeout" ]; then
      "${world}_problems" >&2
      [ "$ready" -le "$1" ] || seen="$seen; does something else scale it?"
      die "$deployment is not where it should be after $timeout s: $seen"
    fi
    [ $((now - told)) -lt 10 ] || { say "  waiting for $1 workers: $seen"; told=$now; }
    nap "$poll"
  done
}

# Of the window: whether no job succeeded; and the error that came most often, with its count.
all_failed() { [ "$(value jobs "$window")" -gt 0 ] && [ "$(value jobs "$window")" = "$(value failed "$window")" ]; }
error_text() {
  printf '%s\n' "$window" | awk '$1 == "error" && $2 > most { most = $2; sub(/^error /, ""); text = $0 } END { print text }'
}

# Until as many jobs as workers have ended and two job times have passed.
warm_up() {
  ask "/parallel?value=$1&type=plain"
  [ "$reply" = "$1" ] || die "the load client runs $reply jobs at a time instead of $1 (its --parallel-max?)"
  ask "/reset?type=plain"
  begin=$(date +%s)
  while :; do
    ask "/window?type=plain"
    window=$reply
    holds "$(value seconds "$window") >= 2 * $secs && $(value jobs "$window") >= $1" && break
    look_at_pods "$1"
    if [ $(($(date +%s) - begin)) -ge "$timeout" ]; then
      errors=$(error_text)
      die "$1 workers have ended $(value jobs "$window") jobs in $timeout s${errors:+; errors: $errors}"
    fi
    nap "$poll"
  done
}

# Measures until a look at the window has seen enough; leaves window, what it said last. The
# statistics are the load client's: /look knows the steps before by their records.
measure() {
  look=$(calc "10 * $secs > 2 ? 10 * $secs : 2")
  ask "/reset?type=plain"
  while :; do
    watch "$look" "$1"
    look_at_window "$1"
    [ "$(value 'done' "$window")" = true ] && return
    all_failed && return
    say "  $1 workers, $(round "$seconds") s: $verdict so far, error $(round "$error")${ratio:+, ratio $(round "$ratio") ($(interval "$low" "$high"))}, steady: $steady"
    look=$(value next_seconds "$window")
  done
}
look_at_window() {
  ask "/look?type=plain&workers=$1&scale=$scale&cap=$cap&repeats=$repeat&pods=$scope&records=$records"
  window=$reply
  seconds=$(value seconds "$window") error=$(value log_error "$window") steady=$(value steady "$window")
  verdict=$(value verdict "$window") ratio=$(value ratio "$window") low=$(value ratio_lower "$window") high=$(value ratio_upper "$window")
  case "$seconds $error $steady" in [0-9]*' '[0-9in]*' '[tf]*) ;; *) die "the reply of the load client to /look is not understood: $window" ;; esac
}
# watch SECONDS WORKERS: waits, and ends it soon after workers have come, gone or crashed.
watch() {
  left=$1
  while holds "$left > 0"; do
    part=$(calc "$left < 10 ? $left : 10")
    nap "$part"
    left=$(calc "$left - $part")
    [ "$(team)" = "$team" ] || spoiled "$2"
  done
}
interval() { printf '%.4g..%.4g' "$1" "$2"; }

# Checks that did not pass, of both kinds.
fail() { fails=$((fails + 1)); echo "FAIL: $*"; }
undecided() { undecided=$((undecided + 1)); echo "UNDECIDED: $*"; }

# What the window says of these keys, with tabs between; "-": nothing. The nodes as JSON.
window_facts="wait run overhead run_p99 run_p99_lower run_p99_upper round_trip_p99 round_trip_p99_lower round_trip_p99_upper spread df jobs slowest slowest_by"
facts() {
  printf '%s\n' "$window" | awk -v keys="$*" '{ text = $0; sub(/^[^ ]+ /, "", text); if (!($1 in fact)) fact[$1] = text }
    END { n = split(keys, key, " "); for (i = 1; i <= n; ++i) printf "%s%s", (i > 1 ? "\t" : ""), (key[i] in fact ? fact[key[i]] : "-") }'
}
nodes() {
  printf '%s\n' "$window" | sed -n 's/^node //p' | sed 's/ /\t/; s/ /\t/; s/ /\t/' | objects workers jobs run node | tr -d '\n'
}

# What there is to say of the step now; then it is known to those that come after it.
report() {
  now=$(printf '%f' "$(value throughput "$window")") failed=$(value failed "$window")
  if [ -n "$ratio" ]; then
    echo "Throughput: $previous -> $now = $(printf '%.2f' "$ratio") increase on reqs-per-sec (pods: $1)"
  else
    echo "Throughput: $now on reqs-per-sec (pods: $1)"
  fi
  left_out=$(value left_out "$window")
  [ -z "$left_out" ] || echo "  $left_out"
  of=$failed
  if all_failed; then of="all $failed" verdict=failures; fi
  [ "$failed" = 0 ] || fail "$1 workers: $of jobs failed: $(error_text)"
  busy=$(used_since "$before" "$1")
  cpu=${busy% *} throttled=${busy#* }
  windows="$windows$turn$tab$1$tab$now$tab$error$tab$seconds$tab$steady$tab$failed$tab$(error_text)$tab$verdict$tab$(value why "$window")$tab$cpu$tab$throttled$tab$(facts "$window_facts")$tab$(nodes)
"
  previous=$now
  records="$records${records:+,}$(value record "$window")"
  seen=$(value evidence "$window")
  [ -z "$seen" ] || evidence="$evidence${evidence:+,}$cpu:$throttled:${seen#-:-:}"
  ask "/verdict?type=plain&scale=$scale&pods=$scope&records=$records"
  judged=$reply
  record
}
spoiled() {
  "${world}_problems" >&2
  die "the workers changed while $1 were measured, so there is no verdict: a crash, an eviction, or does something else scale them (HPA, ScaledObject, CronJob)?"
}

# A step; false if there is no use in another one.
step() {
  say "--- $1 workers$([ "$repeat" = 1 ] || echo ", $turn of $repeat")"
  deploy "$1"
  warm_up "$1"
  team=$(team) || die "cannot look at the workers of $deployment"
  before=$(used)
  ! all_failed || look_at_window "$1"
  all_failed || measure "$1"
  [ "$(team)" = "$team" ] || spoiled "$1"
  report "$1"
  ! all_failed
}

# All steps, as often as asked for, each time with new pods; false as soon as every job of one failed.
all_steps() {
  turn=1
  while [ "$turn" -le "$repeat" ]; do
    deploy 0
    [ "$windows_in_all" -le 40 ] || evidence='' # more does not fit into a URL: the last repeat counts
    for n in $steps; do step "$n" || return; done
    turn=$((turn + 1))
  done
}

# A line for each step by all that is known so far, in fields with a tab after each ("-": nothing):
# WORKERS THROUGHPUT RATIO LOWER UPPER LEAST VERDICT REPEATS_NEEDED FAILED ERROR WHY WAIT RUN OVERHEAD CPU
# (the last four are means of the repeats)
judged_steps() {
  { printf '%s' "$windows" | sed 's/^/window	/'; printf '%s\n' "$judged" | sed -n 's/^\(step\|why\) /\1\t/p'; } | awk -F '\t' '
    function text(t) { return t == "" ? "-" : t }
    function add(what, x) { if (x != "-") { sum[w, what] += x; ++known[w, what] } }
    function mean(what) { return known[w, what] ? sum[w, what] / known[w, what] : "-" }
    $1 == "window" { w = $3; if (!(w in count)) order[++steps] = w; ++count[w]; logs[w] += $4 > 0 ? log($4) : 0
      failed[w] += $8; if ($9 != "") error[w] = $9
      add("cpu", $12); add("wait", $14); add("run", $15); add("overhead", $16)
      if (verdict[w] == "" || $10 != "measured") { verdict[w] = $10; why[w] = $11 } }
    $1 == "step" { split($2, f, " "); w = f[1]; if (verdict[w] != "failures") { judged[w] = $2; verdict[w] = f[7] } }
    $1 == "why" { w = $2; sub(/ .*/, "", w); reason[w] = substr($2, length(w) + 2) }
    END { for (i = 1; i <= steps; ++i) { w = order[i]
      split(w in judged ? judged[w] : w " " exp(logs[w] / count[w]) " - - - - " text(verdict[w]) " 0", f, " ")
      for (j = 1; j <= 8; ++j) printf "%s\t", f[j]
      printf "%d\t%s\t%s\t", failed[w], text(error[w]), text(w in judged && why[w] !~ /^not steady/ ? reason[w] : why[w])
      print mean("wait") "\t" mean("run") "\t" mean("overhead") "\t" mean("cpu") } }'
}

# Checks what is not known before the end: each step beside the one before it, for all repeats.
check_steps() {
  while IFS=$tab read -r workers _ _ lower upper least verdict _ _ _ why _; do
    case $verdict in
      fail) fail "$workers workers: the ratio is under $(round "$least") ($(interval "$lower" "$upper"))" ;;
      undecided) undecided "$workers workers: $why" ;;
    esac
  done <<END
$(judged_steps)
END
}

# ---- the result, as JSON: it says so from the start that there is no verdict yet, so that nobody
# takes that of an earlier run for ours

list() { for word; do printf '%s%s' "${comma:-}" "$(quoted "$word")"; comma=', '; done; }
number() { case $1 in '' | *[!0-9.e+-]*) echo null ;; *) echo "$1" ;; esac; }
quoted() { printf '"%s"' "$(printf '%s' "$1" | tr '[:cntrl:]' ' ' | sed 's/[\\"]/\\&/g')"; }
result() {
  printf '{"deployment": "%s", "queue": "%s", "scale": %s, "limit": %s, "job_seconds": %s, "pods": "%s", "repeats": %s, "verdict": "%s", "reason": %s, "pass": %s, "fails": %s, "undecided": %s, "spread": %s, "steps": [%s\n], "windows": [%s\n], "began": %s, "argv": [%s], "frontend": %s, "why": %s, "headline": %s}\n' \
    "$deployment" "$queue" "$scale" "$limit" "$secs" "$scope" "$repeat" "$outcome" "$(quoted "$reason")" \
    "$([ "$outcome" = pass ] && echo true || echo false)" "$fails" "$undecided" "$(number "$(value spread "$judged")")" \
    "$(judged_steps | objects workers throughput ratio lower upper least verdict repeats_needed failed_jobs error why)" \
    "$(printf '%s' "$windows" | objects repeat workers throughput log_error seconds steady failed_jobs error _ _ cpu throttled \
      "${window_facts% df*} degrees${window_facts#* df}" nodes)" \
    "$(quoted "$began")" "$argv" "$(quoted "$frontend")" "$(quoted "$why")" "$(quoted "$headline")"
}
# Lines of fields as JSON objects with these keys ("_": left out): numbers where fields are such, null
# for "-" and inf; nodes are JSON already.
objects() {
  awk -F '\t' -v keys="$*" '
    function json(f, key) {
      if (key == "nodes") return "[" f "]"
      if (key == "node") { gsub(/["\\]/, "\\\\&", f); return "\"" f "\"" }
      if (f ~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/ || f == "true" || f == "false") return f
      if (f == "-" || f == "inf" || f == "nan") return "null"
      gsub(/[[:cntrl:]]/, " ", f); gsub(/["\\]/, "\\\\&", f); return "\"" f "\"" }
    BEGIN { n = split(keys, key, " ") }
    { printf "%s\n    {", (NR > 1 ? "," : ""); comma = ""
      for (i = 1; i <= n; ++i) if (key[i] != "_") { printf "%s\"%s\": %s", comma, key[i], json($i, key[i]); comma = ", " }
      printf "}" }'
}
# By renaming, so that it is whole at any time; but no device or pipe is replaced.
record() {
  if [ -e "$json" ] && [ ! -f "$json" ]; then result >"$json"; else result >"$json.new" && mv -f "$json.new" "$json"; fi
} 2>/dev/null

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

# However it ends: nothing is left running that was not before, and the result tells how it ended.
clean_up() {
  code=$?
  trap '' HUP INT TERM
  kill "$napping" 2>/dev/null
  record || say "cannot write $json"
  [ "$touched" = 1 ] || exit "$code"
  if stop; then say "ended early: scaled $deployment back to 1 worker, stopped the load client"; else say "ended early, LEFT BEHIND: $left"; fi
  exit "$code"
}

# The load client explains it by all that was measured; one of an earlier version cannot.
explain() {
  [ -n "$evidence" ] || return
  why=$(client "/why?type=plain&evidence=$evidence" 2>/dev/null) || why=''
  why=$(value why "$why")
}

# Columns of what nobody knows are left out.
results() {
  echo
  judged_steps | awk -F '\t' '
    function three(x) { return x == "-" ? x : sprintf("%.3f", x) }
    function short(x) { return x == "-" ? x : sprintf(x < 100 ? "%.3g" : "%.0f", x) }
    function row(w, t, r, i, v, a, b, c, d) {
      line = sprintf("%8s %14s %8s   %-20s %-9s", w, t, r, i, v)
      if (times) line = line sprintf(" %8s %8s %8s", a, b, c)
      if (cpu) line = line sprintf(" %7s", d)
      sub(/ +$/, "", line); print line }
    { all[NR] = $0; if ($13 != "-") times = 1; if ($15 != "-") cpu = 1 }
    END { row("workers", "throughput", "ratio", "interval", "verdict", "wait s", "run s", "over. s", "cores")
      for (i = 1; i <= NR; ++i) { split(all[i], f, "\t")
        row(f[1], three(f[2]), three(f[3]), f[4] == "-" ? "-" : three(f[4]) " .. " three(f[5]),
            f[7] (f[9] > 0 && f[7] != "failures" ? "+failures" : ""), short(f[12]), short(f[13]), short(f[14]), short(f[15])) } }'
  spread=$(value spread "$judged")
  case $spread in '' | 0) ;; *) echo "Workers differ by $(calc "sprintf(\"%.2g\", 100 * $spread)") %." ;; esac
  [ -z "$why" ] || echo "Why: $why."
  record || die "cannot write $json"
  echo "Result: $json"
  [ -z "$html" ] || html_report
}

# The verdict does not depend on it.
html_report() {
  program=$(command -v twofold) || program=$(dirname "$0")/build/user/bin/twofold
  if [ -x "$program" ] && "$program" report "$json" --html "$html" >/dev/null; then
    echo "Report: $html"
  else
    say "no report was made; where the program twofold is: twofold report $json --html $html"
  fi
}

# "1 FAIL, 2 undecided", the word for all of it, and the sentence of the load client; one of an earlier
# version has none.
conclude() {
  headline=$(value headline "$judged")
  summary='' outcome=pass
  [ "$undecided" = 0 ] || { summary="$undecided undecided" outcome=undecided; }
  case $fails in
    0) ;;
    1) summary="1 FAIL${summary:+, $summary}" outcome=fail ;;
    *) summary="$fails FAILs${summary:+, $summary}" outcome=fail ;;
  esac
}

# ---- arguments

is_number() { case $1 in '' | . | *[!0-9.]* | *.*.*) false ;; *) holds "$1 > 0" ;; esac; }
is_whole() { case $1 in '' | *[!0-9]* | ???????*) false ;; *) [ "$1" -gt 0 ] ;; esac; }
is_name() { case $1 in '' | -* | *[!A-Za-z0-9._-]*) false ;; esac; }

# 1 2 4 ... and $1.
doublings() { n=1; while [ "$n" -lt "$1" ]; do printf '%s ' "$n"; n=$((2 * n)); done; echo "$1"; }

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
  is_whole "$repeat" || refuse "--repeat '$repeat' is not a whole number from 1"
  windows_in_all=$(($(echo "$steps" | wc -w) * repeat))
  [ "$windows_in_all" -le 80 ] || refuse "--repeat $repeat: that is $windows_in_all steps in all; 80 are what one validation can compare"
  case $scope in any | these) ;; *) refuse "--pods '$scope' is neither any nor these" ;; esac
  case $namespace,$service_namespace in
    localhost,localhost) world=local poll=0.1 ;;
    localhost,* | *,localhost) refuse "one namespace is localhost, the other is not" ;;
    *) world=kube poll=1 ;;
  esac
}

json=${TWOFOLD_JSON:-validate-scaling.json} steps=${TWOFOLD_STEPS:-} cap=${TWOFOLD_CAP:-} timeout=${TWOFOLD_TIMEOUT:-}
queue=${TWOFOLD_QUEUE:-} repeat=${TWOFOLD_REPEAT:-1} scope=${TWOFOLD_PODS:-any}
client_url=${TWOFOLD_CLIENT_URL:-} frontend_url=${TWOFOLD_FRONTEND_URL:-}
outcome=interrupted reason='' html=${TWOFOLD_HTML:-} argv=$(list "$0" "$@") began=$(date -u +%Y-%m-%dT%H:%M:%SZ)
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -*) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
    *) break ;;
  esac
  case $1 in
    --json) json=$2 ;;
    --html) html=$2 ;;
    --steps) steps=$2 ;;
    --cap) cap=$2 ;;
    --timeout) timeout=$2 ;;
    --queue) queue=$2 ;;
    --repeat) repeat=$2 ;;
    --pods) scope=$2 ;;
    --client-url) client_url=$2 ;;
    --frontend-url) frontend_url=$2 ;;
    *) refuse "unknown option $1" ;;
  esac
  shift 2
done
[ $# = 7 ] || refuse "7 arguments are needed, not $#"
deployment=$1 namespace=$2 secs=$3 service=$4 service_namespace=$5 limit=$6 scale=$7
case $namespace in localhost) deployment=scalability-tester-${deployment#scalability-tester-} service=scalability-tester-${service#scalability-tester-} ;; esac
queue=${queue:-${deployment#scalability-tester-backend-}}
is_number "$secs" || refuse "SECS '$secs' is not a number above 0"
cap=${cap:-$(calc "200 * $secs > 60 ? 200 * $secs : 60")} timeout=${timeout:-$(calc "int(300 + $secs)")}
if is_whole "$limit"; then steps=${steps:-$(doublings "$limit")}; fi
check

given_client_url=$client_url given_frontend_url=$frontend_url
fails=0 undecided=0 touched=0 napping='' previous='' windows='' records='' judged='' evidence='' frontend='' frontends='' why='' headline=''
tab=$(printf '\t')
record || refuse "cannot write the result to $json (--json)"
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
"${world}_setup"
frontend=$(build)

echo "Scaling of $deployment: $steps workers, at least $scale x for twice as many"
echo "Warm-up: until as many jobs as workers have ended and 2 x $secs s have passed. Measured: until decided, at most $cap s."
say "--- can $limit workers be deployed?"
touched=1
ask "/parallel?value=0&type=plain"
deploy "$limit"
all_steps || say "--- every job failed: that was the last step"
distribution
if ! stop; then die "LEFT BEHIND: $left"; fi
check_steps
conclude
explain
results
[ -z "$headline" ] || echo "$headline"
if [ -z "$summary" ]; then echo "*** PASS ***"; exit 0; fi
echo "*** $summary ***"
checks=$((fails + undecided))
[ "$checks" -le 125 ] || checks=125
exit "$checks"
