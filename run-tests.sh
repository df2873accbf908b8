#!/bin/sh
# Installs what the tests need, builds, runs every test; ends with the line "N passed, N failed".
set -u

usage() {
  cat <<'END'
Usage: run-tests.sh [--nightly] [PART]...

  dev         build with optimisation and -Werror, unit and integration tests; beside asan by day those alone that asan
              has not: of the commands of twofold, of programs together, and what compares speed, simulates or computes much
  asan        the unit tests with AddressSanitizer and UndefinedBehaviorSanitizer, by clang; those of the commands
              of twofold with --nightly only
  lint        clang-tidy on what differs from the main branch (on it: from the commit before); with --nightly, on all
  tsan        tests of what has threads, the frontend with streams, calls, pages and a load among them, with ThreadSanitizer
  fuzz        each target of tests/fuzz with libFuzzer for FUZZ_SECONDS (3), built as for asan
  scripts     shellcheck, and bats tests of the scripts
  kubernetes  manifests against schemas and programs, dashboard and alerts on a real Prometheus
  web         the live pages: types, units, and in a real browser against real programs
  images      container images: build, run, scale (needs podman; not run by default)
  packages    Debian packages: made, and used in a clean root (needs root; not run by default)
  alone       each file compiled alone: has it the includes that it needs? (not run by default)
  instructions  what a job takes of them, beside bench/instructions.tsv (not run by default but with --nightly)
  peers       bench/peers: each peer does a few jobs (installs its servers; not run by default but with --nightly)

  --nightly   ten times the random schedules of the queue model and kills of the crash test, 10 000 simulated
              validations a cell (hours), as many simulated comparisons, a million simulated loads, ten minutes of fuzzing a target, faults of
              frontends on a PostgreSQL that Patroni keeps available, the chart as Go renders it, a client and a worker in Go, an older version's
              programs beside this one's; any other test may take an hour; the parts instructions and peers

Without PART: all but the last five. Installs missing Debian packages (root or sudo).
scripts, kubernetes, web and packages use the programs that dev builds. Tests that cannot run here are skipped,
counted, and listed with the reason. dev's tests, scripts, and kubernetes with web run beside each other, while what asan
and tsan need is built; then asan's tests run beside lint, tsan and fuzz. A test that fails runs once more, alone, when
all others have ended: if it then passes, it counts as passed, and is listed at the end beside the failed ones, with its
output. Then come the seconds of processors that each part took, and those by the clock, beside tests/seconds.tsv.
Exit codes: 0 all passed, 1 some failed, 2 wrong usage.
END
}

started=$(date +%s)
root=$(cd "$(dirname "$0")" && pwd)
cd "$root" || exit 1
jobs=$(nproc)
results=$root/build/results
nightly='' time_limit='' lanes=''
: "${TWOFOLD_DEV:=}" "${TWOFOLD_SANITIZERS:=}"

# count PASSED FAILED SKIPPED
count() { echo "$*" >>"$results/counts"; }

# A part that could not run counts as one failed test.
broken() { echo "FAILED: $*" | tee -a "$results/failures" >&2; count 0 1 0; }

# Counts the tests in the JUnit file $1; $2, if it is there, has those of them that ran again.
count_junit() {
  if counts=$(tests/count-results.py "$1" "$results/failures" "$2"); then
    # shellcheck disable=SC2086  # three words
    count $counts
  else
    broken "no test results in $1"
  fi
}

has_failures() { [ -e "$1" ] && grep -qE '<(failure|error)' "$1"; }

# timed NAME COMMAND...: its seconds, of processors and by the clock, are listed at the end.
timed() (
  name=$1 begin=$(date +%s)
  shift
  "$@"
  code=$?
  times >"$results/times.$name"
  awk -v name="$name" -v clock="$(($(date +%s) - begin))" '
    { for (i = 1; i <= NF; ++i) { split($i, t, /[ms]/); cpu += 60 * t[1] + t[2] } }
    END { printf "%s\t%d\t%d\n", name, cpu, clock }' "$results/times.$name" >>"$results/seconds.tsv"
  exit "$code"
)

# build PRESET [TARGET]...: who wants the same meanwhile waits, and finds it done.
build() {
  case $1 in dev) options=$TWOFOLD_DEV ;; *) options=$TWOFOLD_SANITIZERS ;; esac
  # shellcheck disable=SC2016  # of another shell
  timed "build-$1" env "TWOFOLD_OPTIONS=$options" flock "build/$1.lock" sh -c 'preset=$1; shift
    cmake --preset "$preset" $TWOFOLD_OPTIONS >/dev/null && cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}' - "$@"
}

built() { build "$1" || { broken "$1 does not build"; false; }; }

# A processor is three places: a test that waits takes one of them, any other all three.
preset() {
  echo "=== $1: tests"
  rm -f "build/$1/tests.xml"
  # shellcheck disable=SC2086  # none or two words
  built "$1" && timed "$1" ctest --test-dir "build/$1" -j $((3 * jobs)) $time_limit --output-on-failure \
    --output-junit "$root/build/$1/tests.xml"
}

# What failed, alone; and counts all. PART_again is called when all parts have ended.
preset_again() {
  [ -e "build/$1/tests.xml" ] || return 0
  rm -f "build/$1/tests-again.xml"
  # shellcheck disable=SC2086  # none or two words
  ! has_failures "build/$1/tests.xml" ||
    ctest --test-dir "build/$1" $time_limit --rerun-failed --output-on-failure --output-junit "$root/build/$1/tests-again.xml"
  count_junit "build/$1/tests.xml" "build/$1/tests-again.xml"
}

# A sanitizer takes about ten times the time.
nightly_steps() { [ -z "$nightly" ] || export TWOFOLD_STEPS="$1"; }

dev() { nightly_steps 10000000 && preset dev; }
dev_again() { nightly_steps 10000000 && preset_again dev; }
asan() { nightly_steps 1000000 && preset asan; }
asan_again() { nightly_steps 1000000 && preset_again asan; }
tsan() { nightly_steps 1000000 && TSAN_OPTIONS=halt_on_error=1 preset tsan; }
tsan_again() { nightly_steps 1000000 && TSAN_OPTIONS=halt_on_error=1 preset_again tsan; }

lint() {
  echo "=== lint: clang-tidy"
  built asan || return
  timed lint tests/lint.py build/asan ${nightly:+--all}
  case $? in 0) count 1 0 0 ;; 77) count 0 0 1 ;; *) broken "lint" ;; esac
}

fuzz() {
  echo "=== fuzz: each target for a while"
  # shellcheck disable=SC2046  # some words
  build asan $(cd tests/fuzz/corpus && printf 'fuzz_%s ' *) || { broken "fuzz does not build"; return; }
  timed fuzz fuzz_each
}

# As many at a time as there are processors.
fuzz_each() {
  # shellcheck disable=SC2016  # of another shell
  (cd tests/fuzz/corpus && printf '%s\n' *) | xargs -P "$jobs" -I {} sh -c '
    if tests/fuzz/run.sh "$1"; then
      echo 1 0 0 >>"$0/counts"
    else
      echo 0 1 0 >>"$0/counts"
      echo "FAILED: fuzz $1" >>"$0/failures"
    fi' "$results" {}
}

scripts() {
  echo "=== scripts: shellcheck and bats"
  for script in $(git ls-files '*.sh' .ci/run tests/scripts/cluster/kubectl tests/scripts/cluster/postgres kubernetes/plugin tests/scripts/plugin/kubectl tests/kubernetes/stubs); do
    if shellcheck "$script"; then count 1 0 0; else broken "shellcheck $script"; fi
  done
  timed scripts tests/run-scripts.py build/bats
}

scripts_again() {
  rm -rf build/bats-again
  ! has_failures build/bats/report.xml || tests/run-scripts.py --failed build/bats/report.xml build/bats-again
  count_junit build/bats/report.xml build/bats-again/report.xml
}

# pytest_of FOLDER [OPTION]...: by Debian's python, whose packages we install.
pytest_of() {
  folder=$1
  shift
  /usr/bin/python3 -m pytest -q -rs -o "cache_dir=$root/build/pytest/$folder" "tests/$folder" "$@"
}

pytest_again() {
  rm -f "build/$1-again.xml"
  ! has_failures "build/$1.xml" || pytest_of "$1" --last-failed --junitxml="build/$1-again.xml"
  count_junit "build/$1.xml" "build/$1-again.xml"
}

kubernetes() {
  echo "=== kubernetes: manifests, dashboard, alerts"
  rm -f build/kubernetes.xml
  timed kubernetes pytest_of kubernetes --junitxml=build/kubernetes.xml
}
kubernetes_again() { pytest_again kubernetes; }

web() {
  echo "=== web: the live pages in Chromium"
  rm -f build/web.xml
  timed web pytest_of web --junitxml=build/web.xml
}
web_again() { pytest_again web; }

images() {
  echo "=== images: build and run as containers"
  tests/kubernetes/images.sh --base-from-debootstrap
  case $? in 0) count 1 0 0 ;; 77) count 0 0 1 ;; *) broken "images" ;; esac
}

packages() {
  echo "=== packages: make, install, use, upgrade and remove them"
  scripts/install-packages.sh scripts/packages-debian.txt || { broken "packages"; return; }
  tests/packages/clean-root.sh build/dev
  case $? in 0) count 1 0 0 ;; 77) count 0 0 1 ;; *) broken "packages" ;; esac
}

alone() {
  echo "=== alone: each file compiled alone"
  if build alone; then count 1 0 0; else broken "alone does not build"; fi
}

instructions() {
  echo "=== instructions: what a job takes of them, by callgrind"
  if build dev && bench/instructions.sh; then count 1 0 0; else broken "instructions"; fi
}

peers() {
  echo "=== peers: each peer of bench/peers does a few jobs"
  if bench/peers/run.sh --install --check; then count 1 0 0; else broken "peers"; fi
}

run() { for part; do "$part"; done; }
again() {
  for part; do
    case $part in dev | asan | tsan | scripts | kubernetes | web) "${part}_again" ;; esac
  done
}

# Builds for the parts $2... that come later, in the time that tests leave.
build_ahead() {
  renice -n 19 -p $$ >/dev/null
  for part; do build "$part"; done
}

# lane NAME COMMAND...: in a session of its own, so that it can be ended with all that it started. What it prints is for later.
lane() {
  name=$1
  shift
  setsid "$root/run-tests.sh" ${nightly:+--nightly} --lane "$@" >"$results/$name.txt" 2>&1 &
  echo $! >"$results/$name.lane"
  lanes="$lanes $!"
}
# await NAME...: those that there are; prints what they said when all have ended.
await() {
  for each; do
    if [ -e "$results/$each.lane" ]; then wait "$(cat "$results/$each.lane")"; fi
  done
  for each; do
    if [ -e "$results/$each.txt" ]; then cat "$results/$each.txt"; fi
  done
}
end_lanes() {
  for each in $lanes; do kill -- "-$each" 2>/dev/null; done
  lanes=
}

# those "WANTED..." OF...: which of them are wanted.
those() {
  wanted=$1
  shift
  for each; do
    case " $wanted " in *" $each "*) printf '%s ' "$each" ;; esac
  done
}

# The parts that test what dev builds run beside each other, as each of them often waits.
beside_each_other() {
  tests=$(those "$*" dev scripts kubernetes web)
  sanitizers=$(those "$*" asan tsan)
  # shellcheck disable=SC2086  # words, here and below
  for first in $(those "$tests" dev scripts); do lane "$first" run "$first"; done
  pages=$(those "$tests" kubernetes web)
  # shellcheck disable=SC2086
  [ -z "$pages" ] || lane pages run $pages
  # shellcheck disable=SC2086
  [ -z "$sanitizers" ] || lane ahead build_ahead $sanitizers
  await dev scripts pages
}

# Tests of asan leave processors idle at times, which the other parts of the sanitizers take.
beside_asan() {
  others=$(those "$*" lint tsan fuzz)
  lane asan run asan
  # shellcheck disable=SC2086  # words
  [ -z "$others" ] || lane others run $others
  await asan others
}

if [ "${1:-}" = --nightly ]; then
  shift
  nightly=yes time_limit="--timeout 3600"
  export TWOFOLD_NIGHTLY=1 TWOFOLD_SANITIZERS="-D TWOFOLD_COMMANDS=ON -D TWOFOLD_PROMISES=ON"
  export TWOFOLD_KILLS=200 TWOFOLD_TRIES=10000 TWOFOLD_VALIDATIONS=10000 TWOFOLD_SEEDS=1000000 FUZZ_SECONDS=600
fi
if [ "${1:-}" = --lane ]; then
  shift
  "$@"
  exit
fi
for part in "$@"; do
  case $part in
    dev | asan | lint | tsan | fuzz | scripts | kubernetes | web | images | packages | alone | instructions | peers) ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[ $# -gt 0 ] || set -- dev ${nightly:+instructions peers} scripts kubernetes web asan lint tsan fuzz

# By day dev does not test again what asan tests in the same run.
case "$nightly $* " in " "*"dev "*"asan "*) export TWOFOLD_DEV="-D TWOFOLD_ALL_TESTS=OFF" ;; esac

scripts/install-packages.sh scripts/packages-build.txt scripts/packages-test.txt ${nightly:+scripts/packages-nightly.txt} ||
  exit 1
rm -rf "$results"
mkdir -p "$results"
: >"$results/failures"
: >"$results/counts"
: >"$results/seconds.tsv"
# curl, Python and Chromium would ask a proxy of the environment for the programs under test as well.
no_proxy=${no_proxy:+$no_proxy,}localhost,127.0.0.1
NO_PROXY=$no_proxy
export no_proxy NO_PROXY
# kubectl, which tests start a thousand times, is in Go, and ends before it has garbage to look for: an eighth.
export GOGC=off GOMEMLIMIT=500MiB
trap end_lanes EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for part; do
  case $part in
    dev) if built dev; then beside_each_other "$@"; fi ;;
    scripts | kubernetes | web) case " $* " in *" dev "*) ;; *) run "$part" ;; esac ;;
    asan) beside_asan "$@" ;;
    lint | tsan | fuzz) case " $* " in *" asan "*) ;; *) run "$part" ;; esac ;;
    *) run "$part" ;;
  esac
done
end_lanes
again "$@"
cat "$results/failures"
tests/seconds.py "$results/seconds.tsv" tests/seconds.tsv $(($(date +%s) - started))
awk '{ passed += $1; failed += $2; skipped += $3 }
  END {
    if (skipped) print "skipped, for lack of what they need: " skipped
    print passed + 0 " passed, " failed + 0 " failed"
    exit (failed > 0)
  }' "$results/counts"
