#!/bin/sh
# Instructions that a job takes, counted by callgrind: the same on a busy machine as on a quiet one.
set -eu

usage() {
  cat <<'HELP'
Usage: instructions.sh [--record WHY] [--file FILE] [PROGRAMS]

Counts the instructions of a job with the benchmarks in PROGRAMS (build/dev/bin) under valgrind, and compares
them with the last line of each case in FILE (bench/instructions.tsv: case, instructions, why).

  --record WHY  adds a line for each case that is new or differs by more than 5 %

Exit codes: 0 no case is more than 5 % over its last line, 1 one is, or could not be counted, 2 wrong usage.
HELP
}

# Case, program, benchmark, jobs a round. What is counted is the difference of a long and a short run, so without
# what a run begins and ends with.
cases() {
  cat <<'TABLE'
frontend, one job at a time|streams_benchmark|RoundTrip/streams:1/jobs:1/usage:0|1
frontend, 64 jobs a message|streams_benchmark|RoundTrip/streams:1/jobs:64/usage:0|64
frontend, 8 streams, 128 jobs a message|streams_benchmark|RoundTrip/streams:8/jobs:128/usage:0|1024
core, 1 000 waiting, 10 processes|core_benchmark|SubmitAssignComplete/waiting:1000/processes:10|1
core, 1 000 waiting, 10 000 processes|core_benchmark|SubmitAssignComplete/waiting:1000/processes:10000|1
load generator, one job at a time|generator_benchmark|RoundTrip/1|1
load generator, 64 jobs a message|generator_benchmark|RoundTrip/64|64
TABLE
}

record='' why='' programs=''
file=$(dirname "$0")/instructions.tsv
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --record) [ -n "${2:-}" ] || { usage >&2; exit 2; }; record=yes why=$2; shift ;;
    --file) [ -n "${2:-}" ] || { usage >&2; exit 2; }; file=$2; shift ;;
    -*) usage >&2; exit 2 ;;
    *) programs=$1 ;;
  esac
  shift
done
programs=${programs:-$(dirname "$0")/../build/dev/bin}
command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is not there: apt-get install valgrind" >&2; exit 1; }

# total PROGRAM BENCHMARK ROUNDS: nothing if it has failed
total() {
  said=$(TWOFOLD_ROUNDS=$3 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$programs/$1" "--benchmark_filter=^$2/" 2>&1 </dev/null) &&
    echo "$said" | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}

# of_a_job PROGRAM BENCHMARK JOBS: nothing if it could not be counted
of_a_job() {
  rounds=$((5120 / $3 + 5))
  short=$(total "$1" "$2" "$rounds") || return 0
  long=$(total "$1" "$2" $((3 * rounds))) || return 0
  [ -z "$short" ] || [ -z "$long" ] || echo $(((long - short) / (2 * rounds * $3)))
}

last() { awk -F '\t' -v name="$1" '$1 == name { last = $2 } END { print last }' "$file"; }

# compare NOW BEFORE: is it the same, but for 5 %?
compare() { awk -v now="$1" -v before="${2:-0}" 'BEGIN { print (now > 1.05 * before ? "over" : now < 0.95 * before ? "fewer" : "same") }'; }

cases | {
  over=0
  while IFS='|' read -r name program benchmark jobs; do
    now=$(of_a_job "$program" "$benchmark" "$jobs")
    before=$(last "$name")
    if [ -z "$now" ]; then
      echo "$name: could not be counted with $programs/$program"
      over=1
      continue
    fi
    echo "$name: $now instructions a job, ${before:-none} before"
    verdict=$(compare "$now" "$before")
    case $verdict in
      same) ;;
      fewer) [ -n "$record" ] || echo "  more than 5 % fewer: --record it, so that it stays" ;;
      *) [ -n "$record" ] || { echo "  more than 5 % over $file: make it fewer, or say why with --record" && over=1; } ;;
    esac
    [ -z "$record" ] || [ "$verdict" = same ] || printf '%s\t%s\t%s\n' "$name" "$now" "$why" >>"$file"
  done
  [ "$over" = 0 ]
}
