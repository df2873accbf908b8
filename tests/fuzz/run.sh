#!/bin/sh
# Fuzzes one target for a while, from its corpus on: run.sh TARGET. FUZZ_SECONDS is how long, else 3: each night it is ten minutes.
# What it finds new stays in build/fuzz/corpus/TARGET, an input that breaks something in build/fuzz.
set -eu

[ $# = 1 ] || { echo "usage: run.sh TARGET" >&2; exit 2; }
target=$1
cd "$(dirname "$0")/../.."
found=build/fuzz/corpus/$target
mkdir -p "$found"
log=build/fuzz/$target.log

# One input is a few KiB: what takes it 10 s or 1 GiB is a fault, too.
seconds=${FUZZ_SECONDS:-3}
echo "fuzz $target: $seconds s"
if "build/asan/bin/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
  -artifact_prefix="build/fuzz/$target-" -entropic=0 -print_final_stats=1 "$found" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
  grep -E 'number_of_executed_units|new_units_added' "$log"
else
  tail -n 60 "$log"
  exit 1
fi
