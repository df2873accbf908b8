#!/bin/bash
# Runs all kinds of work of twofold-gpu on a device, and compares memory and fp32 with the maker's data sheet
# (data-sheets.txt): at least 85 % and 80 %. Prints a table in Markdown.
#
#   tests/gpu/run.sh [--program PATH] [--device DEVICE] [--quick] [--any] [--write]
#
#   --quick   little work and short times: to try the script
#   --any     a device without a data sheet, such as a CPU, is measured, and compared with nothing
#   --write   puts the table into docs/gpu.md
#
# Exit codes: 0 all is as it should be; 1 something failed, or is slower; 77 no NVIDIA GPU (and no --any).
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
program=$root/build/dev/bin/twofold-gpu
device='' quick='' any='' write=''
while (($# > 0)); do
  case "$1" in
    --program) program=$2 && shift ;;
    --device) device=$2 && shift ;;
    --quick) quick=1 ;;
    --any) any=1 ;;
    --write) write=1 ;;
    *) sed -n '2,/^set /{/^#/s/^# \?//p}' "$0" && exit 2 ;;
  esac
  shift
done

readonly least_memory=85 least_fp32=80 # percent of the data sheet
if [[ $quick ]]; then
  gflop=0.1 size=4M seconds=0.2 warmup=1
else
  gflop=500 size=2G seconds=5 warmup=100
fi
failed=0

# What the program reports for a spec that is given as options, with the device and the times for all of them.
report() {
  "$program" ${device:+--device "$device"} --seconds "$seconds" --warmup "$warmup" --gflop "$gflop" "$@"
}

# The rate of the last part of a report: its FIELD, times all iterations, by its time, in units of UNIT.
rate() { # REPORT FIELD UNIT
  jq -r --arg field "$2" --argjson unit "$3" \
    '.parts[-1] | (.[$field] // 0) * (.iterations | tonumber) / .spanS / $unit' <<<"$1"
}

row() { # WHAT NUMBER UNIT SHEET
  if [[ $4 == - ]]; then
    printf '| %s | %.4g %s | - | - |\n' "$1" "$2" "$3"
  else
    printf '| %s | %.4g %s | %s | %.0f %% |\n' "$1" "$2" "$3" "$4" "$(jq -n "100 * $2 / $4")"
  fi
}

# Notes a number that is less than PERCENT of the data sheet.
at_least() { # WHAT NUMBER SHEET PERCENT
  [[ $3 == - ]] && return
  if jq -e -n "100 * $2 / $3 < $4" >/dev/null; then
    echo "run.sh: $1 is $2, less than $4 % of $3" >&2
    failed=1
  fi
}

measure() { # WHAT FIELD UNIT-NUMBER UNIT SHEET OPTION...
  local what=$1 field=$2 per=$3 unit=$4 sheet=$5 output
  shift 5
  if ! output=$(report "$@" 2>&1); then
    echo "run.sh: $what: $output" >&2
    # What a device cannot do is no failure of it.
    if [[ $output == *'precision: '* ]]; then printf '| %s | - | - | - |\n' "$what"; else failed=1; fi
    last=0
    return
  fi
  throttled=$((throttled + $(jq '.health.throttledSamples // 0' <<<"$output")))
  last=$(rate "$output" "$field" "$per")
  row "$what" "$last" "$unit" "$sheet"
}

table() {
  local sheet=$1 memory fp32 fp64 best=0 precision pattern direction host
  IFS='|' read -r _ memory fp32 fp64 <<<"$sheet"
  echo '| work | measured | data sheet | of it |'
  echo '|---|---|---|---|'
  for precision in fp32 fp64 fp16 tensor; do
    case $precision in fp32) of=$fp32 ;; fp64) of=$fp64 ;; *) of=- ;; esac
    measure "compute, $precision" flop 1e12 TFLOP/s "$of" --work compute --precision "$precision"
    [[ $precision == fp32 ]] && at_least fp32 "$last" "$fp32" "$least_fp32"
  done
  for pattern in read write copy triad; do
    measure "memory, $pattern" bytes 1e9 GB/s "$memory" --work memory --pattern "$pattern" --size "$size"
    best=$(jq -n "[$best, $last] | max")
  done
  at_least 'memory (best pattern)' "$best" "$memory" "$least_memory"
  for direction in h2d d2h; do
    for host in pinned pageable; do
      measure "transfer, $direction, $host" bytes 1e9 GB/s - \
        --work transfer --direction "$direction" --hostMemory "$host" --size "$size"
    done
  done
  measure 'transfer, d2d' bytes 1e9 GB/s - --work transfer --direction d2d --size "$size"
  measure 'launch' launches 1 1/s - --work launch
  measure 'mixed (its launches)' launches 1 1/s - --work mixed --size "$size" --computeShare 5 --memoryShare 1 \
    --transferShare 1 --launchShare 1
}

# The line of the data sheets for a device; "-" for each number if there is none.
sheet_of() { # NAME
  grep -v '^#' "$root/tests/gpu/data-sheets.txt" | while IFS='|' read -r part rest; do
    if [[ $1 == *"$part"* ]]; then
      echo "$part|$rest"
      break
    fi
  done
}

# Replaces what stands between the marks in docs/gpu.md by FILE.
write_page() { # FILE
  sed -i -e '/^<!-- table -->$/,/^<!-- end of table -->$/{//!d}' -e "/^<!-- table -->\$/r $1" "$root/docs/gpu.md"
}

first=$(report --work launch --launches 1 2>&1) || { echo "run.sh: $first" >&2 && exit 77; }
name=$(jq -r .device.name <<<"$first")
sheet=$(sheet_of "$name")
if [[ ! $sheet ]]; then
  if [[ ! $any ]]; then echo "run.sh: no data sheet of '$name'; --any measures it nevertheless" >&2 && exit 77; fi
  sheet='-|-|-|-'
fi

output=$(mktemp)
trap 'rm -f "$output"' EXIT
throttled=0 last=0
{
  echo
  echo "$name, driver $(jq -r .device.driver <<<"$first"), by $(jq -r .device.api <<<"$first"):"
  echo
} >"$output"
table "$sheet" >>"$output"
if ((throttled > 0)); then printf '\nThe device was throttled in %s samples.\n' "$throttled" >>"$output"; fi
echo >>"$output"
cat "$output"
if [[ $write ]]; then write_page "$output"; fi
exit "$failed"
