#!/bin/sh
# Builds bench_peers and measures Twofold beside its peers on this machine.
set -eu

usage() {
  cat <<'END'
Usage: run.sh [--install] --series [--quick] [--output DIR] [--chart FILE] [--peers LIST]
       run.sh [--install] --check [--peers LIST]
       run.sh [--install] SUBCOMMAND [OPTION]...   (of bench_peers; see `run.sh --help-all`)

  --install   first installs what bench/peers/packages.txt and scripts/packages-build.txt name
  --check     every installed peer for a moment: each job has to come back once, as it was sent
  --series    the table and the chart of docs/performance.md: round trips, open loop, 1 000 000
              waiting jobs, 10 000 idle workers; 5 passes of 1.5 s, peers in turn. Use a machine that
              does nothing else.
  --quick     with --series: 3 passes of 0.5 s, to see that it works
  --output    where runs.csv, table.md and chart.csv go [build/peers/DATE]
  --chart     where the chart goes, as SVG [OUTPUT/chart.svg]
  --peers     only these, separated by commas

Examples:
  bench/peers/run.sh --install --check
  bench/peers/run.sh --series --chart docs/performance-peers.svg
  bench/peers/run.sh series --peers redis,twofold --shapes 8:1024
Exit codes: 0 all measured, 1 some failed, 2 wrong usage.
END
}

root=$(cd "$(dirname "$0")/../.." && pwd)
install=no mode='' quick=no output='' chart='' peers=''

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --install) install=yes ;;
    --check | --series) mode=${1#--} ;;
    --quick) quick=yes ;;
    --output | --chart | --peers)
      [ $# -gt 1 ] || { echo "run.sh: $1 needs a value (see --help)" >&2; exit 2; }
      case $1 in --output) output=$2 ;; --chart) chart=$2 ;; --peers) peers=--peers=$2 ;; esac
      shift ;;
    --help-all) mode=other; break ;;
    -*) echo "run.sh: no such option: $1 (see --help)" >&2; exit 2 ;;
    *) mode=other; break ;;
  esac
  shift
done
[ -n "$mode" ] || { usage >&2; exit 2; }

here=$root/bench/peers
build=$root/build/dev
bench=$build/bin/bench_peers
[ $install = no ] || "$root/scripts/install-packages.sh" "$root/scripts/packages-build.txt" "$here/packages.txt"
(cd "$root" && cmake --preset dev -D TWOFOLD_PEERS=ON >/dev/null)
cmake --build "$build" --target bench_peers twofold-frontend

failed=0
measure() {
  # shellcheck disable=SC2086  # nothing, or one word
  "$bench" series --output "$output" $peers "$@" >/dev/null || failed=1
}

series() {
  output=${output:-$root/build/peers/$(date +%Y-%m-%d-%H%M)}
  rounds='--passes 5 --seconds 1.5 --repeats 1' once='--passes 3'
  [ $quick = no ] || { rounds="--passes 3 --seconds 0.5 --repeats 0" once='--passes 1 --repeats 0'; }
  # shellcheck disable=SC2086  # several words
  {
    measure --tests round-trips,open-loop --payloads 100,1024,16384 --takes 64,256 $rounds
    measure --tests enqueue $once
    measure --tests idle --passes 1 --repeats 0
    measure --tests idle --passes 1 --repeats 0 --slots 100
  }
  "$here/chart.sh" "$output/chart.csv" "${chart:-$output/chart.svg}"
  cat "$output/table.md"
  echo "Results: $output"
}

# shellcheck disable=SC2086  # peers: nothing, or one word
case $mode in
  check) exec "$bench" check $peers ;;
  series) series; exit $failed ;;
  other) [ "$1" != --help-all ] || set -- --help; exec "$bench" "$@" ;;
esac
