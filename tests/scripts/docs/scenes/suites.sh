# A frontend with a volume and two nodes for iperf, and outputs of tools.
# shellcheck shell=bash source=tests/scripts/docs/scenes/common.sh
source "$ROOT/tests/scripts/docs/scenes/common.sh"
golden=$ROOT/tests/golden/suites
mkdir -p old volume
mount -t tmpfs none /mnt
mkdir /mnt/volume
mount --bind volume /mnt/volume
cp "$golden/iperf/iperf3_tcp.json" client.json
cp "$golden/iperf/iperf3_reverse.json" old/1.log
cp "$golden/iperf/iperf3_tcp.json" old/2.log
cp "$golden/osu/osu_latency-np2.txt" osu-l-0-0.log
cp "$golden/fio/worker0.json" a.json
cp "$golden/fio/worker1.json" b.json
frontend fio iperf
for node in 1 2; do worker iperf "node-$node" -- iperf; done
await has_workers iperf 2
