# The page's files (iperf for a second, not for 30, and fio once for one, not thrice for three), and a cluster that can run
# them, on which nightly-6 has been run.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
awk '/^```yaml$/ { getline; file = $2 } /^```$/ { file = "" } file != "" { print > file }' docs/sweeps.md
sed -i 's/duration: 30/duration: 1/' streams.yaml
sed -i 's/runtime: 3s/runtime: 1s/; s/repetitions: 3/repetitions: 1/' examples/fio-quick.yaml
frontend --store sqlite:jobs.db iperf
for node in 1 2; do worker iperf "node-$node" --label hostNetwork=true -- iperf; done
await has_workers iperf 2
twofold run streams.yaml --runid nightly-6 >nightly-6.log 2>&1
