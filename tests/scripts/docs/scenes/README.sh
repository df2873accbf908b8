# The tree after quickstart.sh, and the output of an iperf3 that somebody ran by hand.
# shellcheck shell=bash
curl() { command curl --fail-with-body "$@"; }
mkdir -p build/user
ln -s "$BIN" build/user/bin
cp "$ROOT/tests/golden/suites/iperf/iperf3_tcp.json" client.json
# Less of it than the reader gets: the script has tests of its own.
export TWOFOLD_STEPS="1 2" TWOFOLD_CAP=10
