# A scripted cluster behind the stubs of kubectl and curl. Its state is in files in $STUB:
#   replicas     what was asked for last     parallel   jobs the client keeps outstanding
#   calls        every call, one a line
# and what shall go wrong is asked for by environment variables:
#   STUB_EFFICIENCY  throughput = workers ^ STUB_EFFICIENCY (1: doubles)      STUB_ERROR  log_error
#   STUB_MOST        so many workers become Ready at most                     STUB_FAILED failed jobs
#   STUB_SPREAD how much workers differ (0)        STUB_DONE  false: no look has seen enough
#   STUB_THROUGHPUTS "1 1.9 2": those of 1, 2, 4 ... workers instead
#   STUB_REGISTERED  so many register at most      STUB_BREAK  a call matching this pattern fails
#   STUB_LOOK_WHY  looks at later steps say why, too
#   STUB_OLD  client and frontend know nothing of where the time went
# shellcheck shell=sh

state() { cat "$STUB/$1" 2>/dev/null || echo 0; }
least() { if [ "$1" -le "$2" ]; then echo "$1"; else echo "$2"; fi; }
ready() { least "$(state replicas)" "${STUB_MOST:-1000000}"; }
registered() { least "$(ready)" "${STUB_REGISTERED:-1000000}"; }
throughput() {
  awk -v n="$(ready)" -v e="${STUB_EFFICIENCY:-1}" -v given="${STUB_THROUGHPUTS:-}" 'BEGIN {
    if (split(given, each)) n = each[n < 4 ? n : 3]; else n = n > 0 ? n ^ e : 0
    printf "%f", n }'
}
param() { printf '%s\n' "$1" | sed -n "s/.*[?&]$2=\([^&]*\).*/\1/p"; }

record() {
  printf '%s\n' "$*" >>"$STUB/calls"
  case "$*" in *${STUB_BREAK:-nothing at all}*) echo "stub: broken on purpose: $*" >&2; exit 22 ;; esac
}

window() {
  cat <<END
throughput $(throughput)
log_error ${STUB_ERROR:-0.001}
df 15
lower 0
upper 0
jobs 1000
failed ${STUB_FAILED:-0}
seconds 1000
steady ${STUB_STEADY:-true}
END
  [ "${STUB_STEADY:-true}" = true ] || echo "reason the rate falls"
  [ "${STUB_FAILED:-0}" = 0 ] || echo "error ${STUB_FAILED} no device"
  [ -z "${STUB_OLD:-}" ] || return 0
  cat <<END
wait 0.0005
run 0.2
overhead 0.00125
run_p99 0.21
run_p99_lower 0.205
run_p99_upper 0.24
round_trip_p99 0.22
round_trip_p99_lower 0.215
spread 0.01
node $(ready) 1000 0.2 node-1
node 1 7 - a "quoted" node
END
}

# What /look says of the window, whose record is WORKERS:THROUGHPUT here. It has always seen enough,
# but with STUB_DONE=false.
look() {
  records=$(param "$1" records)
  verdict=measured why=''
  if [ "${STUB_STEADY:-true}" != true ]; then verdict=undecided why="not steady: the rate falls"; fi
  printf 'done %s\nnext_seconds 500\n' "${STUB_DONE:-true}"
  if [ -n "$records" ] && [ "$(ready)" -gt "$(last_of "$records")" ]; then
    judge "$(param "$1" scale)" "$records,$(ready):$(throughput)" | tail -n 1 |
      awk '{ print "verdict " $8; print "ratio " $4; print "ratio_lower " $5; print "ratio_upper " $6 }'
    [ -z "${STUB_LOOK_WHY:-}" ] || echo "why $why"
  else
    echo "verdict $verdict${why:+
why $why}"
  fi
  echo "record $(ready):$(throughput)"
  [ -n "${STUB_OLD:-}" ] || echo "evidence -:-:$(ready):$(throughput)"
  window
}
last_of() { printf '%s\n' "${1##*,}" | cut -d: -f1; }

# The judgement of the client service, roughly: three errors to each side. judge SCALE RECORDS.
judge() {
  printf '%s\n' "$2" | tr ',:' '\n ' | awk -v error="${STUB_ERROR:-0.001}" -v scale="$1" -v steady="${STUB_STEADY:-true}" '
    NR == 1 { before = $1; rate = $2; next }
    $1 > before {
      ratio = $2 / rate; low = ratio * exp(-3 * error); high = ratio * exp(3 * error)
      least = scale ^ (log($1 / before) / log(2)); text = "undecided"
      if (steady == "true" && low >= least) text = "pass"
      if (steady == "true" && high < least) text = "fail"
      if (text == "undecided") print "why " $1 (steady == "true" ? " " least " is inside " low ".." high : " the throughput of 1 worker was not steady")
      print "step", $1, $2, ratio, low, high, least, text, 0 }
    { before = $1; rate = $2 }'
}
verdict() {
  printf 'spread %s\nspread_df 3\n' "${STUB_SPREAD:-0}"
  [ -n "${STUB_OLD:-}" ] || echo "headline Pass or fail: \"because\"."
  judge "$(param "$1" scale)" "$(param "$1" records)"
}

# Between two looks each worker has computed for half of the time, and was held up for a quarter.
metrics() {
  if [ -n "${STUB_SHARDS:-}" ]; then
    echo 'twofold_worker_processes{queue="sleep",shard="0"} 0'
    echo "twofold_worker_processes{queue=\"sleep\",shard=\"12\"} $(registered)"
  else
    echo "twofold_worker_processes{queue=\"sleep\"} $(registered)"
  fi
  [ -z "${STUB_OLD:-}" ] || return 0
  looks=$(grep -c /metrics "$STUB/calls")
  echo "twofold_worker_cpu_seconds_total{queue=\"sleep\"} $((looks * 2))"
  echo "twofold_worker_throttled_seconds_total{queue=\"sleep\"} $looks"
  echo "twofold_worker_reported_seconds_total{queue=\"sleep\"} $((looks * 4))"
  echo 'twofold_build_info{version="0.1.0",commit="5f3c2ab",compiler="g++ 12.2.0"} 1'
}

# What the load client and the frontend answer to a path.
serve() {
  case $1 in
    /parallel?*) param "$1" value | tee "$STUB/parallel" ;;
    /reset?*) echo Reseted ;;
    /window?*) window ;;
    /look?*) look "$1" ;;
    /verdict?*) verdict "$1" ;;
    /nodes?*) echo "100.0 % ##### node-1" ;;
    /why?*) [ -z "${STUB_OLD:-}" ] && printf 'cause cpu\nwhy workers "contend" for CPU\n' ;;
    /metrics) metrics ;;
    *) echo "stub: no path $1" >&2; exit 22 ;;
  esac
}
