#!/bin/sh
# Does doubling the workers raise the throughput enough? Needs the program twofold, or kubectl.
set -u

usage() {
  cat <<'END'
Usage: validate-scaling.sh [OPTION]... DEPLOYMENT DEPLOYMENT_NAMESPACE SECS SERVICE SERVICE_NAMESPACE LIMIT SCALE

Scales DEPLOYMENT to 1, 2, 4 ... and LIMIT workers, makes the load client behind SERVICE keep as many
jobs outstanding, and compares the throughput of each step with that of the step before.

  DEPLOYMENT           of the workers, e.g. scalability-tester-backend-sleep; workerpool/NAME is a WorkerPool
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
                       beforehand, or auto: once more where workers that differ keep a verdict open, with as
                       many repeats as should decide it, 10 at most (TWOFOLD_REPEAT; 1)
  --pods these         verdicts on the measured pods, as if workers did not differ (TWOFOLD_PODS; any)
  --cap SECONDS        longest measurement of a step, or auto: 60 or 200 x SECS if more, and on while its
                       verdict is likely to come within the patience (TWOFOLD_CAP; auto)
  --patience SECONDS   longest measurement of a step with --cap auto (TWOFOLD_PATIENCE; 600)
  --allow-failures 1%  of the jobs of a step, at most; more are a fail, or undecided where chance explains
                       them (TWOFOLD_ALLOW_FAILURES; none)
  --all-steps          also those behind a step that has failed for certain (TWOFOLD_ALL_STEPS=1)
  --html FILE          a report of the result as well, made by the program twofold (TWOFOLD_HTML)
  --timeout SECONDS    longest wait for workers (TWOFOLD_TIMEOUT; 300 + SECS)
  --queue NAME         (TWOFOLD_QUEUE; DEPLOYMENT without scalability-tester-backend-)
  --client-url URL     of the load client, instead of the API server's proxy (TWOFOLD_CLIENT_URL)
  --frontend-url URL   the same for the frontend's HTTP port; of several frontends, of the one that serves
                       the queue (TWOFOLD_FRONTEND_URL)
                       Both are asked without a proxy, unless .curlrc names one; they need the program
                       twofold here, which also takes --tls-ca, --tls-cert, --tls-key, --token-file and
                       --proxy for them, as `twofold validate --help` says

A step is measured until its verdict is clear and its own error is small enough for the base of the
next step, or to the cap. The load client looks at the step each time its window has grown by half.
Each look spends a part of the 5 % that all may be wrong, because a window that ends when somebody
likes the result is biased. The verdicts come at the end, from all measurements: pass or fail if the
interval of the ratio is on one side of SCALE, else undecided, which does not pass either. The
interval holds for any pods, also those of another deployment, so it accounts for how much workers
differ. If they differ, only more pods make it narrower: --repeat. A step that has failed for certain,
for too many failed jobs or too little growth, is the last one, unless --all-steps; one in which every
job failed always is. Ctrl-C while a step is measured is an answer: what was seen of it is judged, and no
step follows.

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

It runs `twofold validate` where the program is: in $TWOFOLD_BIN, PATH, beside this file or in build/user.
Without the program, in a cluster, kubectl is enough: a pod of the frontend's image runs it, with an account
that may do what it needs and is removed afterwards.

Exit codes: 0 pass; N = number of checks that did not pass, failed and undecided ones, at most 125;
200 wrong arguments, nothing was touched; 201 no verdict: a call failed, or workers did not start,
keep crashing or changed while they were measured; 129, 130, 143 interrupted.
Except after 200, the deployment is left with one worker and the client stopped.
END
}

say() { printf '%s\n' "$*" >&2; }
refuse() { say "validate-scaling.sh: $* (see --help)"; exit 200; }
die() { say "validate-scaling.sh: $*"; exit 201; }

# ---- where the program is

find_program() {
  here=$(dirname "$0")
  for program in "${TWOFOLD_BIN:-$here}/twofold" "$(command -v twofold)" "$here/twofold" "$here/build/user/bin/twofold"; do
    [ -x "$program" ] && "$program" validate --help >/dev/null 2>&1 && return
  done
  false
}

# The value of an option in curl's file; of several the last one.
curlrc() {
  sed -n 's/^[[:space:]]*-*'"$1"'[[:space:]]*[=:[:space:]][[:space:]]*"\{0,1\}'"${2:-}"'\([^"]*\)"\{0,1\}[[:space:]]*$/\1/p' "$rc" | tail -n 1
}
# run_program ARGUMENT...: with what .curlrc has for pages that are given by their URL, unless it is given.
run_program() {
  case "${TWOFOLD_CLIENT_URL:-}${TWOFOLD_FRONTEND_URL:-} $*" in
    *--tls-* | *--token-file* | *--proxy*) ;;
    *://*)
      for rc in "${CURL_HOME:+$CURL_HOME/.curlrc}" "${XDG_CONFIG_HOME:+$XDG_CONFIG_HOME/.curlrc}" "${HOME:-}/.curlrc"; do
        [ -f "$rc" ] && break
      done
      if [ -f "$rc" ]; then
        for option in cacert:tls-ca cert:tls-cert key:tls-key proxy:proxy; do
          value=$(curlrc "${option%:*}")
          [ -z "$value" ] || set -- "--${option#*:}" "$value" "$@"
        done
        token=$(curlrc header 'Authorization: Bearer ')
        [ -z "$token" ] || export TWOFOLD_TOKEN="${TWOFOLD_TOKEN:-$token}"
      fi ;;
  esac
  TWOFOLD_CALLED_AS=$0 exec "$program" validate "$@"
}

# ---- without the program: a pod of the frontend's image

# "text", for YAML.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }
list() { for word; do printf '%s, ' "$(quoted "$word")"; done; }
variables() {
  for name in STEPS REPEAT PODS CAP PATIENCE ALLOW_FAILURES ALL_STEPS TIMEOUT QUEUE; do
    eval "value=\${TWOFOLD_$name:-}"
    [ -z "$value" ] || printf '{name: TWOFOLD_%s, value: %s}, ' "$name" "$(quoted "$value")"
  done
  printf '{name: TWOFOLD_CALLED_AS, value: %s}' "$(quoted "$0")"
}

# role NAMESPACE NAME: what the program may do there; its rules come on standard input.
role() {
  printf 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: %s, namespace: %s}\nrules:\n' "$2" "$1"
  cat
  cat <<END
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: $2, namespace: $1}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: $2}
subjects: [{kind: ServiceAccount, name: $name, namespace: $namespace}]
---
END
}
manifests() {
  case $deployment in
    workerpool/*) group=twofold.dev kinds=workerpools ;;
    *) group=apps kinds=deployments ;;
  esac
  printf 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s, namespace: %s}\n---\n' "$name" "$namespace"
  role "$namespace" "$name" <<END
  - {apiGroups: [$group], resources: [$kinds], resourceNames: [${deployment#workerpool/}], verbs: [get]}
  - {apiGroups: [$group], resources: [$kinds/scale], resourceNames: [${deployment#workerpool/}], verbs: [patch]}
  - {apiGroups: [""], resources: [pods], verbs: [list]}
  - {apiGroups: [""], resources: [pods/log], verbs: [get]}
  - {apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [list]}
  - {apiGroups: [""], resources: [services/proxy], resourceNames: ["scalability-tester-frontend:9998"], verbs: [get]}
  - {apiGroups: [""], resources: [pods/proxy], verbs: [get]}
END
  role "$service_namespace" "$name-client" <<END
  - {apiGroups: [""], resources: [services], resourceNames: [$service], verbs: [get]}
  - {apiGroups: [""], resources: [services/proxy], resourceNames: ["$service:9996"], verbs: [get]}
END
  cat <<END
apiVersion: v1
kind: Pod
metadata:
  name: $name
  namespace: $namespace
  labels: {app.kubernetes.io/name: scalability-tester, app.kubernetes.io/component: validation, app.kubernetes.io/part-of: twofold}
spec:
  serviceAccountName: $name
  restartPolicy: Never
  terminationGracePeriodSeconds: 60
  enableServiceLinks: false
  imagePullSecrets: [$pull_secrets]
  securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: validate
      image: $image
      imagePullPolicy: IfNotPresent
      command: [/usr/local/bin/twofold, validate, --output, json, --json, /dev/null]
      args: [$args]
      env: [$(variables)]
      resources: {requests: {cpu: 50m, memory: 32Mi}, limits: {memory: 256Mi}}
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
END
}

# By renaming, so that it is whole at any time; but no device or pipe is replaced.
record() {
  if [ -e "$json" ] && [ ! -f "$json" ]; then printf '%s\n' "$1" >"$json"; else printf '%s\n' "$1" >"$json.new" && mv -f "$json.new" "$json"; fi
} 2>/dev/null

phase() { kubectl -n "$namespace" get pod "$name" -o go-template='{{.status.phase}}'; }
# Soon after the last line of its log the pod has ended; else the connection has.
has_ended() {
  for _ in 1 2 3 4 5; do
    [ "$(phase)" = Running ] || return 0
    sleep 1
  done
  false
}
# What the pod prints: a line of JSON each time its result changes, else text for people.
follow() {
  since=''
  while kubectl -n "$namespace" logs -f $since "$name"; ! has_ended; do since=--since=8s; done |
    while IFS= read -r line; do
      case $line in
        '{"deployment"'*) record "$line" ;;
        'Result: /dev/null') echo "Result: $json" ;;
        *) printf '%s\n' "$line" ;;
      esac
    done
}
await_start() {
  tries=0
  while [ "$(phase)" = Pending ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ]; then
      kubectl -n "$namespace" describe pod "$name" | tail -n 12 >&2
      die "the pod $name of $image does not start"
    fi
    sleep 1 & wait $!
  done
}

# Ends the pod, which sets things back, and removes what was made for it.
clean_up() {
  code=$?
  trap '' HUP INT TERM
  kubectl -n "$namespace" delete pod "$name" --ignore-not-found >/dev/null
  [ -z "$following" ] || wait "$following"
  kubectl -n "$namespace" delete rolebinding,role,serviceaccount "$name" --ignore-not-found >/dev/null
  kubectl -n "$service_namespace" delete rolebinding,role "$name-client" --ignore-not-found >/dev/null
  exit "$code"
}

# The first fields of the pods of the frontend, by a template.
frontend_has() {
  kubectl -n "$namespace" get pods -l app.kubernetes.io/part-of=twofold,app.kubernetes.io/component=frontend \
    -o go-template="{{range .items}}$1{{\"\\n\"}}{{end}}" | head -n 1
}

# in_cluster [OPTION VALUE]... DEPLOYMENT ... SCALE
in_cluster() {
  args='' json=${TWOFOLD_JSON:-validate-scaling.json} html=${TWOFOLD_HTML:-} url=${TWOFOLD_CLIENT_URL:-}${TWOFOLD_FRONTEND_URL:-}
  while [ $# -gt 0 ]; do
    case $1 in
      --all-steps)
        args="$args$(list "$1")"
        shift
        continue ;;
      -*) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
      *) break ;;
    esac
    case $1 in
      --json) json=$2 ;;
      --html) html=$2 ;;
      --client-url | --frontend-url) url=$2 ;;
      *) args="$args$(list "$1" "$2")" ;;
    esac
    shift 2
  done
  [ $# = 7 ] || refuse "7 arguments are needed, not $#"
  case $2,$5 in localhost,* | *,localhost) refuse "localhost needs the program twofold: in PATH, \$TWOFOLD_BIN or build/user/bin" ;; esac
  [ -z "$url" ] || refuse "--client-url and --frontend-url need the program twofold: in PATH, \$TWOFOLD_BIN or build/user/bin"
  for word in "${1#workerpool/}" "$2" "$4" "$5"; do
    case $word in '' | -* | *[!A-Za-z0-9._-]*) refuse "'$word' is not a name" ;; esac
  done
  deployment=$1 namespace=$2 service=$4 service_namespace=$5 args=$args$(list "$@") following=''
  command -v kubectl >/dev/null || refuse "neither the program twofold nor kubectl is there"
  image=$(frontend_has '{{(index .spec.containers 0).image}}')
  [ -n "$image" ] || refuse "namespace $namespace has no frontend, whose image has the program twofold"
  pull_secrets=$(frontend_has '{{range .spec.imagePullSecrets}}{name: {{.name}}},{{end}}')
  record "{\"deployment\": \"$deployment\", \"verdict\": \"interrupted\", \"pass\": false, \"steps\": []}" ||
    refuse "cannot write the result to $json (--json)"
  name=twofold-validate-$(date +%s)-$$
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  manifests | kubectl create -f - >/dev/null || die "cannot create the pod that validates"
  await_start
  follow &
  following=$!
  wait "$following"
  following=''
  code=$(kubectl -n "$namespace" get pod "$name" -o go-template='{{range .status.containerStatuses}}{{with .state.terminated}}{{.exitCode}}{{end}}{{end}}')
  code=${code:-201}
  if [ "$code" -lt 200 ] && [ -f "$json" ] && ! grep -q '"argv"' "$json"; then
    die "there is no result: $image has an older program, without twofold validate"
  fi
  [ -z "$html" ] || say "no report was made; where the program twofold is: twofold report $json --html $html"
  exit "$code"
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
if find_program; then run_program "$@"; else in_cluster "$@"; fi
