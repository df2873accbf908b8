#!/bin/sh
# TCP throughput between the two workers of a gang, for the command suite.
set -u

usage() {
  cat <<'END'
Usage: gang-tcp.sh [SECONDS]

Rank 1 serves (iperf3 -s), rank 0 sends to it for SECONDS (default 10) and prints what arrived:

    received 9.41 Gbit/s in 10.0 s from 10.0.0.1 to 10.0.0.2

twofold-backend sets the environment: TWOFOLD_GANG_RANK, TWOFOLD_GANG_SIZE, TWOFOLD_GANG_PEERS and,
for rank 1, TWOFOLD_READY_FD. GANG_TCP_PORT (5201) is the port; two gangs at the same
time on one address need two ports. Needs iperf3, and jq for rank 0.

    twofold-backend --queue tcp --backoff 5 --null-in -- /opt/twofold/examples/gang-tcp.sh 10

Exit codes: 0 measured, 1 failed (stderr says why), 2 wrong usage.
END
}

die() { echo "gang-tcp.sh: $*" >&2; exit 1; }
refuse() { echo "gang-tcp.sh: $* (see --help)" >&2; exit 2; }
need() { command -v "$1" >/dev/null || die "$1 is not installed"; }

# iperf3's output shows when it listens; our own last line has its exit code.
serve() {
  fd=${TWOFOLD_READY_FD:-}
  [ -n "$fd" ] || refuse "TWOFOLD_READY_FD is not set"
  { iperf3 -s -1 -B "$own" -p "$port" --forceflush; echo "exit code $?"; } | while read -r line; do
    case $line in
      "Server listening"*) echo >&"$fd" ;;
      "exit code 0") exit 0 ;;
      "exit code "*) die "iperf3 -s: $line" ;;
      *) echo "$line" ;;
    esac
  done
}

# iperf3 reports some errors only in its JSON, so the JSON is checked whatever the exit code.
send() {
  need jq
  json=$(iperf3 -c "$server" -B "$own" -p "$port" -t "$seconds" -J)
  code=$?
  error=$(printf '%s' "$json" | jq -r '.error // empty' 2>/dev/null) || die "iperf3 -c: no JSON (exit code $code)"
  [ -z "$error" ] || die "iperf3 -c: $error"
  [ "$code" = 0 ] || die "iperf3 -c: exit code $code"
  # shellcheck disable=SC2016  # the dollars are for jq
  printf '%s' "$json" | jq -re --arg from "$own" --arg to "$server" '
    def round(n): . * n + 0.5 | floor / n;
    .end.sum_received | select(.bytes > 0) |
    "received \(.bits_per_second / 1e9 | round(100)) Gbit/s in \(.seconds | round(10)) s from \($from) to \($to)"' ||
    die "iperf3 -c: nothing arrived"
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -le 1 ] || refuse "one argument at most"
seconds=${1:-10}
case $seconds in '' | *[!0-9]* | 0*) refuse "'$seconds' is not a number of seconds from 1" ;; esac
port=${GANG_TCP_PORT:-5201}
rank=${TWOFOLD_GANG_RANK:-}
[ -n "$rank" ] || refuse "TWOFOLD_GANG_RANK is not set: it is the program of a gang"
[ "${TWOFOLD_GANG_SIZE:-}" = 2 ] || refuse "the gang has '${TWOFOLD_GANG_SIZE:-}' members, not 2"
# shellcheck disable=SC2086  # an address a word
set -- ${TWOFOLD_GANG_PEERS:-}
[ $# = 2 ] || refuse "TWOFOLD_GANG_PEERS has $# addresses, not 2"
need iperf3
case $rank in
  0) own=$1 server=$2 && send ;;
  1) own=$2 && serve ;;
  *) refuse "rank '$rank' is not 0 or 1" ;;
esac
