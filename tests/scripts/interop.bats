#!/usr/bin/env bats
# Programs that nobody of this project wrote speak to the frontend: Python's grpcio and, each night, Go's gRPC, as a client and as a
# worker, directly and with what stands in front of servers between.

load helpers.bash

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold-frontend" ] || skip "no programs in $bin"
  unset TWOFOLD_TOKEN
  cd "$BATS_TEST_TMPDIR" || return
  here=$BATS_TEST_DIRNAME/interop
  strangers=(in_python)
  [ -z "${TWOFOLD_NIGHTLY:-}" ] || strangers+=(in_go)
}

teardown() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" || true; done
}

start_frontend() {
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --queue-limit 1000 --ready-file ready "$@" sleep 2>frontend.log 3>&- &
  pids="$pids $!"
  soon [ -e ready ]
  clients=$(jq -r .client ready)
  workers=$(jq -r .worker ready)
}

in_python() {
  mkdir -p messages
  protoc -I "$root/proto" --python_out messages twofold/v1/queue.proto twofold/v1/limits.proto
  timeout 100 /usr/bin/python3 "$here/strangers.py" messages "$@"
}

in_go() {
  [ -x "$BATS_FILE_TMPDIR/strangers" ] || build_go
  timeout 100 "$BATS_FILE_TMPDIR/strangers" "$@"
}

build_go() { # with the libraries of scripts/packages-nightly.txt
  mkdir -p go/src
  protoc -I "$root/proto" --go_out=plugins=grpc,Mtwofold/v1/queue.proto=twofold/v1,Mtwofold/v1/limits.proto=twofold/v1:go/src \
    twofold/v1/queue.proto twofold/v1/limits.proto
  GO111MODULE=off GOPATH=$PWD/go:/usr/share/gocode GOCACHE=$BATS_FILE_TMPDIR/go \
    go build -o "$BATS_FILE_TMPDIR/strangers" "$here"/go/*.go
}

get_jobs_done() { # OPTIONS... CLIENTS WORKERS
  for strangers in "${strangers[@]}"; do
    run "$strangers" "$@"
    [ "$output" = ok ] || { echo "$strangers: $output"; tail frontend.log; false; }
  done
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

@test "clients and workers of others get jobs done" {
  start_frontend
  get_jobs_done "$clients" "$workers"
}

@test "with mutual TLS and tokens" {
  certificates_and_tokens
  start_frontend --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt --token-file tokens
  get_jobs_done --client-token "$(cat client.token)" --worker-token "$(cat worker.token)" --ca ca.crt --cert peer.crt --key peer.key \
    "localhost:${clients##*:}" "localhost:${workers##*:}"
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
  get_jobs_done "127.0.0.1:$port1" "127.0.0.1:$port2"
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
  get_jobs_done --resets "127.0.0.1:$port1" "127.0.0.1:$port2"
}
