# Two runs of iperf between two nodes, of which job 17 is one, and a queue for fio, whose workers are
# paused: jobs wait in it.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
frontend --store sqlite:jobs.db net fio
for node in gpu-1 gpu-2; do worker net "$node" --label mtu=9000 -- iperf; done
await has_workers net 2
for ((i = 1; i <= 15; i++)); do
  twofold job submit net --durable -- '{"duration": 0}' >/dev/null  # no spec of iperf: fails
done
iperf() { twofold job submit net --durable --run "$1" --gang 2 --wait -- '{"duration": 1}' >/dev/null; }
iperf last-week
iperf nightly
