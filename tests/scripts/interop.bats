#!/usr/bin/env bats
# Programs that nobody of this project wrote speak to the frontend: Python's grpcio as a client and as a worker, directly
# and with what stands in front of servers between.

load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  unset TWOFOLD_TOKEN
  cd "$BATS_TEST_TMPDIR" || return
  mkdir messages
  protoc -I "$root/proto" --python_out messages twofold/v1/queue.proto twofold/v1/limits.proto
}

teardown() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" || true; done
}

start_frontend() {
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready "$@" sleep 2>frontend.log 3>&- &
  pids="$pids $!"
  soon [ -e ready ]
  clients=$(jq -r .client ready)
  workers=$(jq -r .worker ready)
}

strangers() { # CLIENTS WORKERS OPTIONS...
  run timeout 100 /usr/bin/python3 "$BATS_TEST_DIRNAME/interop/strangers.py" messages "$@"
  [ "$output" = ok ] || { echo "$output"; tail frontend.log; false; }
}

# front COMMAND...: with ports of its own, PORT1 and PORT2 in its configuration, which is there; tries others while they are taken.
front() {
  for _ in $(seq 20); do
    port1=$((20000 + RANDOM % 10000))
    port2=$((port1 + 1))
    sed "s/PORT1/$port1/; s/PORT2/$port2/; s/CLIENTS/$clients/; s/WORKERS/$workers/" configuration >front.conf
    "$@" >front.log 2>&1 3>&- &
    pid=$!
    if soon listens_or_ended && kill -0 "$pid" 2>/dev/null; then
      pids="$pids $pid"
      return
    fi
  done
  cat front.log
  false
}

listens_or_ended() {
  ! kill -0 "$pid" 2>/dev/null || { : >/dev/tcp/127.0.0.1/"$port1"; } 2>/dev/null
}

@test "a client and a worker in Python get jobs done" {
  start_frontend
  strangers "$clients" "$workers"
}

@test "with TLS and tokens" {
  certificates_and_tokens
  start_frontend --tls-cert tls.crt --tls-key tls.key --token-file tokens
  strangers "localhost:${clients##*:}" "localhost:${workers##*:}" --ca ca.crt --token "$(cat client.token)" "$(cat worker.token)"
}

@test "through nginx" {
  start_frontend
  cat >configuration <<'EOF'
daemon off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_max_body_size 0;
  client_body_temp_path body;
  server { listen 127.0.0.1:PORT1 http2; location / { grpc_pass grpc://CLIENTS; } }
  server { listen 127.0.0.1:PORT2 http2; location / { grpc_pass grpc://WORKERS; grpc_read_timeout 1h; grpc_send_timeout 1h; } }
}
EOF
  front nginx -p "$PWD" -c front.conf
  strangers "127.0.0.1:$port1" "127.0.0.1:$port2"
}

@test "through HAProxy" {
  start_frontend
  cat >configuration <<'EOF'
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen clients
  bind 127.0.0.1:PORT1 proto h2
  server frontend CLIENTS proto h2
listen workers
  bind 127.0.0.1:PORT2 proto h2
  server frontend WORKERS proto h2
EOF
  front haproxy -f front.conf
  strangers "127.0.0.1:$port1" "127.0.0.1:$port2" --resets
}
