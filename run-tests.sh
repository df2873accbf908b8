#!/bin/sh
# Installs what the tests need, builds, runs every test; ends with the line "N passed, N failed".
set -u

usage() {
  cat <<'END'
Usage: run-tests.sh [--nightly] [PART]...

  dev         build with optimisation and -Werror, all unit and integration tests
  asan        the unit tests with AddressSanitizer and UndefinedBehaviorSanitizer, by clang; those of the commands
              of twofold with --nightly only
  lint        clang-tidy on what differs from the main branch (on it: from the commit before); with --nightly, on all
  tsan        all tests of what has threads and no gRPC, with ThreadSanitizer
  fuzz        each target of tests/fuzz with libFuzzer for FUZZ_SECONDS (10), built as for asan
  scripts     shellcheck, and bats tests of the scripts
  kubernetes  manifests against schemas and programs, dashboard and alerts on a real Prometheus
  web         the live pages: types, units, and in a real browser against real programs
  images      container images: build, run, scale (needs podman; not run by default)
  packages    Debian packages: made, and used in a clean root (needs root; not run by default)
  alone       each file compiled alone: has it the includes that it needs? (not run by default)
  instructions  what a job takes of them, beside bench/instructions.tsv (not run by default but with --nightly)

  --nightly   ten times the random schedules of the queue model and kills of the crash test, 10 000
              simulated validations a cell, a million simulated loads, ten minutes of fuzzing a target, faults of frontends on
              a PostgreSQL that Patroni keeps available; a test may take an hour; the part instructions

Without PART: all but the last four. Installs missing Debian packages (root or sudo).
scripts, kubernetes, web and packages use the programs that dev builds. Tests that cannot run here are skipped,
counted, and listed with the reason. A test that fails runs once more, alone: if it then passes, it
counts as passed, and is listed at the end beside the failed ones, with its output.
Exit codes: 0 all passed, 1 some failed, 2 wrong usage.
END
}

root=$(cd "$(dirname "$0")" && pwd)
cd "$root" || exit 1
jobs=$(nproc)
passed=0 failed=0 skipped=0
sanitizers='' ahead=''
nightly='' time_limit=''

count() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3)); }

# A part that could not run counts as one failed test.
broken() { echo "FAILED: $*" | tee -a "$failures" >&2; count 0 1 0; }

# Counts the tests in the JUnit file $1; $2, if it is there, has those of them that ran again.
count_junit() {
  if counts=$(tests/count-results.py "$1" "$failures" "$2"); then
    # shellcheck disable=SC2086  # three words
    count $counts
  else
    broken "no test results in $1"
  fi
}

# shellcheck disable=SC2016  # of another shell
build_command='cmake --preset "$1" $TWOFOLD_AT_NIGHT >/dev/null && cmake --build --preset "$1" -j "$(nproc)"'
build() { flock "build/$1.lock" sh -c "$build_command" - "$1"; }

# build_ahead PRESET...: in the time that the tests meanwhile leave, as they mostly wait. Who then wants such a
# build waits for its lock, and finds it done.
build_ahead() {
  # shellcheck disable=SC2016
  setsid nice -n 19 sh -c 'for preset; do flock "build/$preset.lock" sh -c "$0" - "$preset"; done' \
    "$build_command" "$@" >build/ahead.txt 2>&1 &
  ahead=$!
}

preset() {
  echo "=== $1: build and test"
  results=$root/build/$1/tests.xml again=$root/build/$1/tests-again.xml
  rm -f "$results" "$again"
  if ! build "$1"; then
    broken "$1 does not build"
    return
  fi
  # shellcheck disable=SC2086  # some words
  [ "$1" != dev ] || [ -z "$sanitizers" ] || build_ahead $sanitizers
  # shellcheck disable=SC2086  # none or two words
  ctest --test-dir "build/$1" -j "$jobs" $time_limit --output-on-failure --output-junit "$results" ||
    ctest --test-dir "build/$1" $time_limit --rerun-failed --output-on-failure --output-junit "$again"
  count_junit "$results" "$again"
}

lint() {
  echo "=== lint: clang-tidy"
  if ! build asan; then
    broken "lint does not build"
    return
  fi
  tests/lint.py build/asan ${nightly:+--all}
  case $? in 0) count 1 0 0 ;; 77) count 0 0 1 ;; *) broken "lint" ;; esac
}

# A sanitizer takes about ten times the time.
nightly_steps() { [ -z "$nightly" ] || export TWOFOLD_NIGHTLY=1 TWOFOLD_STEPS="$1"; }

dev() { nightly_steps 10000000 && preset dev; }
asan() { nightly_steps 1000000 && preset asan; }
tsan() { nightly_steps 1000000 && TSAN_OPTIONS=halt_on_error=1 preset tsan; }

fuzz() {
  echo "=== fuzz: build, and run each target for ${FUZZ_SECONDS:-10} s"
  if ! build asan; then
    broken "fuzz does not build"
    return
  fi
  for corpus in tests/fuzz/corpus/*; do
    if tests/fuzz/run.sh "${corpus##*/}"; then count 1 0 0; else broken "fuzz ${corpus##*/}"; fi
  done
}

scripts() {
  echo "=== scripts: shellcheck and bats"
  for script in $(git ls-files '*.sh' .ci/run tests/scripts/stubs tests/scripts/cluster/kubectl tests/scripts/cluster/postgres tests/kubernetes/stubs); do
    if shellcheck "$script"; then count 1 0 0; else broken "shellcheck $script"; fi
  done
  rm -rf build/bats build/bats-again
  mkdir -p build/bats build/bats-again tests/scripts/.bats/run-logs  # bats remembers there what failed
  bats --report-formatter junit --output build/bats tests/scripts ||
    bats --filter-status failed --report-formatter junit --output build/bats-again tests/scripts
  count_junit build/bats/report.xml build/bats-again/report.xml
}

kubernetes() {
  echo "=== kubernetes: manifests, dashboard, alerts"
  rm -f build/kubernetes.xml build/kubernetes-again.xml
  # Debian's python, whose packages we install.
  pytest="/usr/bin/python3 -m pytest -q -rs tests/kubernetes"
  $pytest --junitxml=build/kubernetes.xml || $pytest --last-failed --junitxml=build/kubernetes-again.xml
  count_junit build/kubernetes.xml build/kubernetes-again.xml
}

web() {
  echo "=== web: the live pages in Chromium"
  rm -f build/web.xml build/web-again.xml
  pytest="/usr/bin/python3 -m pytest -q -rs tests/web"
  $pytest --junitxml=build/web.xml || $pytest --last-failed --junitxml=build/web-again.xml
  count_junit build/web.xml build/web-again.xml
}

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

if [ "${1:-}" = --nightly ]; then
  shift
  nightly=yes time_limit="--timeout 3600"
  export TWOFOLD_AT_NIGHT="-D TWOFOLD_COMMANDS=ON"
  export TWOFOLD_KILLS=200 TWOFOLD_TRIES=10000 TWOFOLD_SEEDS=1000000 FUZZ_SECONDS=600
fi
for part in "$@"; do
  case $part in
    dev | asan | lint | tsan | fuzz | scripts | kubernetes | web | images | packages | alone | instructions) ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[ $# -gt 0 ] || set -- dev ${nightly:+instructions} scripts kubernetes web asan lint tsan fuzz

scripts/install-packages.sh scripts/packages-build.txt scripts/packages-test.txt ${nightly:+scripts/packages-nightly.txt} ||
  exit 1
mkdir -p build
# curl, Python and Chromium would ask a proxy of the environment for the programs under test as well.
no_proxy=${no_proxy:+$no_proxy,}localhost,127.0.0.1
NO_PROXY=$no_proxy
export no_proxy NO_PROXY
for part in "$@"; do
  case $part in asan | tsan) sanitizers="$sanitizers $part" ;; esac
done
trap '[ -z "$ahead" ] || kill -- "-$ahead" 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
failures=$root/build/failures.txt
: >"$failures"
for part in "$@"; do "$part"; done
cat "$failures"
[ "$skipped" = 0 ] || echo "skipped, for lack of what they need: $skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
