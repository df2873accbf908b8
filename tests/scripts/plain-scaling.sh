#!/bin/sh
# plain-scaling.sh CLIENT SCALE LIMIT SECONDS [COMMAND...]
#
# Doubles the workers from 1 to LIMIT, and says whether each step did SCALE times the work, by the load client's plain pages
# alone: it asks for the same pages, in the same order, and reads the same of their answers as scripts do that were written for
# the tester that Twofold succeeds. CLIENT is HOST:PORT; COMMAND gets the number of workers as its last word. Exit code: the
# number of steps that failed.
set -e

client=$1 scale=$2 limit=$3 seconds=$4
shift 4
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

die() { echo "ERROR: $*"; exit 200; }

# Scripts read what is in the file, so without the newline at its end.
ask() {
  curl --no-progress-meter "$client/$1" >"$answer"
  cat "$answer"
}

# An answer is taken as it is, whatever its HTTP code: so a number has to be echoed.
in_force=-1
set_parallel() {
  [ "$in_force" -ne "$1" ] || return 0
  in_force=$1
  said=$(ask "parallel?type=plain&value=$1")
  [ "$said" = "$1" ] || die "parallel: $said instead of $1"
}

workers_are() {
  set_parallel 0
  "$@"
}

is_zero() { [ -z "$(echo "$1" | tr -d .0)" ]; }

workers_are "$@" "$limit"
workers_are "$@" 0

before=0 failed=0 workers=1 places=no
while [ "$workers" -le "$limit" ]; do
  workers_are "$@" "$workers"
  said=$(ask 'reset?type=plain')
  [ "$said" = Reseted ] || die "reset: $said"
  set_parallel "$workers"
  sleep "$seconds"
  now=$(ask 'reqs-per-sec?type=plain')
  fails=$(ask 'fails?type=plain')
  ask 'stats?type=plain'
  [ "$fails" -eq 0 ] || { echo "FAIL: $fails jobs"; failed=$((failed + 1)); }
  places=no
  if is_zero "$now"; then
    echo "FAIL: no throughput"
    failed=$((failed + 1))
  elif ! is_zero "$before"; then
    change=$(awk -v now="$now" -v before="$before" 'BEGIN { printf "%.2f", now / before }')
    echo "Throughput of $workers workers: $before, then $now, $change times"
    if awk -v change="$change" -v scale="$scale" 'BEGIN { exit change >= scale }'; then
      echo "FAIL: $change instead of $scale"
      failed=$((failed + 1))
      ask nodes
      places=yes
    fi
  fi
  before=$now
  workers=$((2 * workers))
done
[ "$places" = yes ] || ask nodes
set_parallel 0
[ "$failed" -eq 0 ] || exit "$failed"
workers_are "$@" 1
echo PASS
