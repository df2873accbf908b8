# A result of a validation, and a store with two runs.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
cp "$ROOT/tests/golden/report/validation.json" validate-scaling.json
golden=$ROOT/tests/golden/suites/iperf
twofold parse iperf "$golden/iperf3_tcp.json" "$golden/iperf3_tcp.json" --store runs.db --run last-week >/dev/null
twofold parse iperf "$golden/iperf3_tcp.json" "$golden/iperf3_tcp.json" --store runs.db --run nightly >/dev/null
