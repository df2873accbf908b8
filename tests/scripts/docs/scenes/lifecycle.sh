# What the scale test tool has written.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
mkdir logs
cp "$ROOT"/tests/golden/lifecycle/runai/{submitted,sampled}.json logs
