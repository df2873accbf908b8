# The tree after quickstart.sh.
# shellcheck shell=bash
curl() { command curl --fail-with-body "$@"; }
mkdir -p build/user
ln -s "$BIN" build/user/bin
# Less of it than the reader gets: the script has tests of its own.
export TWOFOLD_STEPS="1 2" TWOFOLD_CAP=10
