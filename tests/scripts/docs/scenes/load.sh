# A frontend, and workers that sleep as long as a job says.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
frontend sleep
worker sleep node-1 --slots 32 -- sleep 0.1
await has_workers sleep 1
