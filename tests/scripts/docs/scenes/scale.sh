# The tree with its programs built, the simulation among them.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
mkdir -p build/dev
ln -s "$BIN" build/dev/bin
