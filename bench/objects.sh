#!/usr/bin/env bash
# twofold-objects beside wrk, in turn, against one nginx with one worker: requests/s of 4 KiB GETs, bytes/s and CPU
# seconds per GiB of 16 MiB GETs. Prints one row a round and the medians of the ratios.
#
# bench/objects.sh BUILD_DIR [ROUNDS [SECONDS]]      (Debian: nginx-light wrk)
set -euo pipefail

objects=$1/bin/twofold-objects
rounds=${2:-5}
seconds=${3:-4}
work=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

cat > "$work/nginx.conf" <<CONF
user $(id -un);
worker_processes 1;
pid $work/pid;
error_log $work/error.log;
events {}
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  client_body_temp_path $work/tmp;
  proxy_temp_path $work/tmp;
  fastcgi_temp_path $work/tmp;
  uwsgi_temp_path $work/tmp;
  scgi_temp_path $work/tmp;
  server { listen 127.0.0.1:$port; root $work; }
}
CONF
mkdir "$work/small" "$work/large"
head -c 4096 /dev/urandom > "$work/small/o"
head -c 16777216 /dev/urandom > "$work/large/o"
echo o > "$work/names"
nginx -c "$work/nginx.conf" -g 'daemon off;' &
nginx=$!
trap 'kill $nginx; wait $nginx || true; rm -rf "$work"' EXIT
until curl --noproxy '*' -sfo "$work/first" "http://127.0.0.1:$port/small/o"; do sleep 0.1; done

# Prints what follows `cpu`: rate, bytes/s, CPU seconds; connections and bucket are arguments.
wrk_row() {
  local cpu
  cpu=$( { TIMEFORMAT='%U %S'; time wrk -t1 -c"$1" -d"${seconds}s" -s "$work/report.lua" "http://127.0.0.1:$port/$2/o" > "$work/wrk"; } 2>&1)
  python3 - "$work/wrk" "$cpu" <<'PY'
import sys
count, size, micros = map(float, [l for l in open(sys.argv[1]) if l.startswith("total ")][0].split()[1:])
seconds = micros / 1e6
print(count / seconds, size / seconds, sum(map(float, sys.argv[2].split())), size, count)
PY
}
cat > "$work/report.lua" <<'LUA'
done = function(summary) io.write(string.format("total %d %d %d\n", summary.requests, summary.bytes, summary.duration)) end
LUA

objects_row() {
  local cpu
  cpu=$( { TIMEFORMAT='%U %S'; time "$objects" --protocol http --endpoint "http://127.0.0.1:$port" --bucket "$2" \
    --filelist "$work/names" --numworkers "$1" --threads 1 --duration "${seconds}s" --statsinterval 0 > "$work/objects"; } 2>&1)
  python3 - "$work/objects" "$cpu" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
get = report["operations"][0]
assert "failures" not in report, report["failures"]
seconds = report["measuredSeconds"]
print(int(get["count"]) / seconds, int(get["bytes"]) / seconds, sum(map(float, sys.argv[2].split())), get["bytes"], get["count"])
PY
}

for _ in $(seq "$rounds"); do
  echo "small wrk $(wrk_row 8 small)"
  echo "small objects $(objects_row 8 small)"
  echo "large wrk $(wrk_row 4 large)"
  echo "large objects $(objects_row 4 large)"
done | tee "$work/rows" >&2

python3 - "$work/rows" <<'PY'
import statistics, sys
rows = {}
for line in open(sys.argv[1]):
    what, who, *numbers = line.split()
    rows.setdefault((what, who), []).append([float(n) for n in numbers])
def ratio(what, of):
    pairs = zip(rows[what, "objects"], rows[what, "wrk"])
    return statistics.median(of(ours) / of(theirs) for ours, theirs in pairs)
GIB = 2**30
for who in ("wrk", "objects"):
    small, large = rows["small", who], rows["large", who]
    print(f"{who:8}  4 KiB: {statistics.median(r[0] for r in small):8.0f}/s  {1e6 * statistics.median(r[2] / r[4] for r in small):5.1f} us CPU each"
          f"   16 MiB: {statistics.median(r[1] for r in large) / GIB:5.2f} GiB/s  {statistics.median(r[2] / r[3] * GIB for r in large):5.3f} s CPU/GiB")
print(f"ratios    4 KiB rate {ratio('small', lambda r: r[0]):.2f}   CPU each {ratio('small', lambda r: r[2] / r[4]):.2f}"
      f"   16 MiB bytes/s {ratio('large', lambda r: r[1]):.2f}   CPU/GiB {ratio('large', lambda r: r[2] / r[3]):.2f}")
PY
