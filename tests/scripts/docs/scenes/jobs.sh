# A run of last week, of iperf between two nodes, and a queue without workers: jobs wait in it.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
frontend --store sqlite:jobs.db net fio
for node in gpu-1 gpu-2; do worker net "$node" --label mtu=9000 -- iperf; done
await has_workers net 2
twofold job submit net --durable --run last-week --gang 2 --wait -- '{"duration": 1}' >/dev/null
