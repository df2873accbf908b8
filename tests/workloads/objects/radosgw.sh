#!/usr/bin/env bash
# A real S3 server for tests: ceph's radosgw with one monitor and one object store in memory.
#
# radosgw.sh DIR start     prints the endpoint's URL when it serves; keys are in DIR/credentials
# radosgw.sh DIR stop
#
# Debian: radosgw ceph-mon ceph-osd. DIR is an empty folder. It takes 10 to 30 s to start.
set -euo pipefail

dir=$(realpath "$1")
export CEPH_CONF=$dir/ceph.conf

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

stop() {
  for pid in "$dir"/*.pid; do
    [ -f "$pid" ] || continue
    kill "$(cat "$pid")" 2> /dev/null || true
  done
  for _ in $(seq 100); do
    alive=0
    for pid in "$dir"/*.pid; do
      if [ -f "$pid" ] && kill -0 "$(cat "$pid")" 2> /dev/null; then alive=1; fi
    done
    [ $alive = 1 ] || return 0
    sleep 0.1
  done
  for pid in "$dir"/*.pid; do kill -9 "$(cat "$pid")" 2> /dev/null || true; done
}

write_config() {
  cat > "$dir/ceph.conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$1/0,v1:127.0.0.1:$2/0]
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
mon data = $dir/mon
osd data = $dir/osd
run dir = $dir
admin socket = $dir/\$name.asok
pid file =
log file = $dir/\$name.log
keyring = $dir/keyring
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:$3 tcp_nodelay=1
rgw data = $dir/rgw
debug rgw = 0/0
ms mon client mode = crc secure
CONF
}

run() {  # run NAME COMMAND...
  local name=$1
  shift
  setsid "$@" > "$dir/$name.out" 2>&1 &
  echo $! > "$dir/$name.pid"
}

start() {
  local v2 v1 port
  v2=$(free_port) v1=$(free_port) port=$(free_port)
  mkdir -p "$dir/mon" "$dir/osd" "$dir/rgw"
  write_config "$v2" "$v1" "$port"
  ceph-authtool --create-keyring "$dir/keyring" --gen-key -n mon. --cap mon 'allow *' > /dev/null
  ceph-authtool "$dir/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' > /dev/null
  monmaptool --create --addv a "[v2:127.0.0.1:$v2,v1:127.0.0.1:$v1]" --fsid "$(awk '/^fsid/ {print $3}' "$dir/ceph.conf")" \
    "$dir/monmap" > /dev/null
  ceph-mon --mkfs -i a --monmap "$dir/monmap" --keyring "$dir/keyring"
  run mon ceph-mon -i a -f
  local id
  id=$(cat /proc/sys/kernel/random/uuid)
  timeout 60 ceph osd new "$id" > /dev/null
  ceph-osd -i 0 --mkfs --osd-uuid "$id" > "$dir/mkfs.out" 2>&1
  run osd ceph-osd -i 0 -f
  timeout 60 ceph auth get-or-create client.rgw.a mon 'allow rw' osd 'allow rwx' >> "$dir/keyring"
  run rgw radosgw -n client.rgw.a -f
  timeout 120 radosgw-admin -n client.rgw.a user create --uid=bench --display-name=bench --access-key=TWOFOLDKEY \
    --secret-key=twofoldsecret > "$dir/user.out" 2>&1
  printf '[default]\naws_access_key_id = TWOFOLDKEY\naws_secret_access_key = twofoldsecret\n' > "$dir/credentials"
  for _ in $(seq 600); do
    if curl --noproxy '*' -so "$dir/first" "http://127.0.0.1:$port/"; then
      echo "http://127.0.0.1:$port"
      return 0
    fi
    sleep 0.1
  done
  echo "radosgw does not answer; see $dir" >&2
  return 1
}

case $2 in
  start) start || { stop; exit 1; } ;;
  stop) stop ;;
  *) exit 2 ;;
esac
