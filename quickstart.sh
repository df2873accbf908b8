#!/bin/sh
# From a bare Debian 12 to a scaling verdict: installs packages, builds, starts a local cluster,
# runs validate-scaling.sh on the sleep queue from 1 to 16 workers, writes build/quickstart.json and
# build/quickstart.html, ends the cluster.
set -eu

if [ $# -gt 0 ]; then
  echo "Usage: quickstart.sh (no arguments; root or sudo is needed if packages are missing)"
  echo "Exit codes: those of validate-scaling.sh (0 = PASS); 1 if an earlier step fails."
  [ "$1" = --help ] || [ "$1" = -h ] || exit 2
  exit 0
fi

root=$(cd "$(dirname "$0")" && pwd)
bin=$root/build/user/bin
TWOFOLD_DIR=$root/.twofold
export TWOFOLD_DIR

build() {
  cmake -S "$root" --preset user
  cmake --build "$root/build/user" -j "$(nproc)" --target twofold twofold-frontend twofold-backend twofold-client twofold-objects
}

down() {
  code=$?
  trap - EXIT
  "$bin/twofold" local down >/dev/null || [ "$code" != 0 ] || code=1
  exit "$code"
}

echo "=== 1/4 packages"
"$root/scripts/install-packages.sh" "$root/scripts/packages-build.txt"
echo "=== 2/4 build (the first time takes four to six minutes on two cores)"
log=$root/build/quickstart.log built=$root/build/quickstart.built
mkdir -p "$root/build"
rm -f "$built"
{ build && : >"$built"; } 2>&1 | tee "$log" | grep --line-buffered -E '^\[[0-9]*[05]/|rror' || true
[ -e "$built" ] || { echo "quickstart.sh: the build failed, see $log" >&2; exit 1; }
echo "=== 3/4 local cluster"
trap down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$bin/twofold" local up --queues sleep=0.2 --free-ports
echo "=== 4/4 validation: is twice the workers twice the throughput?"
TWOFOLD_JSON=${TWOFOLD_JSON:-$root/build/quickstart.json} TWOFOLD_HTML=${TWOFOLD_HTML:-$root/build/quickstart.html} \
  PATH=$bin:$PATH "$root/validate-scaling.sh" \
  scalability-tester-backend-sleep localhost 0.2 scalability-tester-client-sleep localhost 16 1.8
