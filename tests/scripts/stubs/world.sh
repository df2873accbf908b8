# A scripted cluster behind the stubs of kubectl and curl. Its state is in files in $STUB:
#   replicas     what was asked for last     parallel   jobs the client keeps outstanding
#   calls        every call, one a line
# and what shall go wrong is asked for by environment variables:
#   STUB_EFFICIENCY  throughput = workers ^ STUB_EFFICIENCY (1: doubles)      STUB_ERROR  log_error
#   STUB_MOST        so many workers become Ready at most                     STUB_FAILED failed jobs
#   STUB_THROUGHPUTS "1 1.9 2": those of 1, 2, 4 ... workers instead
#   STUB_REGISTERED  so many register at most      STUB_BREAK  a call matching this pattern fails
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
}

# The judgement of the client service, roughly: two errors to each side.
compare() {
  awk -v now="$(throughput)" -v base="$(param "$1" throughput)" -v error="${STUB_ERROR:-0.001}" \
    -v limit="$(param "$1" limit)" 'BEGIN {
      ratio = now / base; low = ratio * exp(-3 * error); high = ratio * exp(3 * error)
      verdict = low >= limit ? "pass" : high < limit ? "fail" : "undecided"
      printf "ratio %f\nlower %f\nupper %f\nverdict %s\nmore_seconds 5\n", ratio, low, high, verdict }'
}

# What the load client and the frontend answer to a path.
serve() {
  case $1 in
    /parallel?*) param "$1" value | tee "$STUB/parallel" ;;
    /reset?*) echo Reseted ;;
    /window?*) window ;;
    /compare?*) compare "$1" ;;
    /nodes?*) echo "100.0 % ##### node-1" ;;
    /metrics) echo "twofold_worker_processes{queue=\"sleep\"} $(registered)" ;;
    *) echo "stub: no path $1" >&2; exit 22 ;;
  esac
}
