#!/usr/bin/env bats
# twofold local with the real programs of build/dev (or $TWOFOLD_BIN).

bats_require_minimum_version 1.5.0
load helpers.bash

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  export TWOFOLD_DIR="$BATS_TEST_TMPDIR/state"
}

teardown() { "$bin/twofold" local down; }

up() { "$bin/twofold" local up --free-ports "$@"; }
pids() { "$bin/twofold" local status --output json | jq -r '.[].pids[]'; }
supervisor() { jq .pid "$TWOFOLD_DIR/supervisor.json"; }

# Running, and not just waiting for its parent to take note of its end.
alive() { local s; s=$(ps -o stat= -p "$1") && [ "${s#Z}" = "$s" ]; }

field() { "$bin/twofold" local status --output json | jq -r ".[] | select(.name == \"$1\") | .$2"; }
is() { [ "$(field "$1" "$2")" = "$3" ]; }
gone() { for pid in "$@"; do ! alive "$pid" || return 1; done; }

@test "up shows what runs where, down leaves nothing" {
  run up --queues a=0.1,b=0.2 --replicas 2
  [ "$status" -eq 0 ]
  [[ "$output" == *"scalability-tester-backend-b "*" 2/2"* ]]
  all=$(pids; supervisor)
  run "$bin/twofold" local down
  [ "$status" -eq 0 ]
  # shellcheck disable=SC2086
  gone $all
  [ ! -e "$TWOFOLD_DIR" ]
}

@test "a second up in the same folder is refused, and the first goes on" {
  up
  run up
  [ "$status" -eq 5 ]
  [[ "$output" == *"runs already"* ]]
  "$bin/twofold" local status
}

@test "scale waits for exactly so many ready workers" {
  up
  run "$bin/twofold" local scale scalability-tester-backend-sleep 3 --wait
  [[ "$output" == *"3/3"* ]]
  run "$bin/twofold" queues --output json
  [ "$(jq '.[0].worker_processes' <<<"$output")" = 3 ]
  "$bin/twofold" local scale scalability-tester-backend-sleep 0 --wait
  [ "$(field scalability-tester-backend-sleep 'pids | length')" = 0 ]
}

@test "a killed frontend comes back at its ports, counted" {
  up
  before=$(field scalability-tester-frontend addresses.client)
  kill -9 "$(field scalability-tester-frontend 'pids[0]')"
  soon is scalability-tester-frontend restarts 1
  soon is scalability-tester-frontend ready 1
  [ "$(field scalability-tester-frontend addresses.client)" = "$before" ]
  soon is scalability-tester-backend-sleep ready 1
  "$bin/twofold" job submit sleep --wait -- 0.01
}

@test "when the supervisor is killed all die with it, and up starts anew" {
  up
  all=$(pids)
  kill -9 "$(supervisor)"
  # shellcheck disable=SC2086
  soon gone $all
  run "$bin/twofold" local status
  [ "$status" -eq 3 ]
  up
}

@test "a port in use fails up with the reason, and leaves nothing" {
  up
  port=$(field scalability-tester-frontend addresses.http)
  cat >"$BATS_TEST_TMPDIR/twofold-frontend" <<END
#!/bin/sh
for argument; do
  shift
  [ "\$before" != --http-address ] || argument=$port
  set -- "\$@" "\$argument"
  before=\$argument
done
exec "$(realpath "$bin")/twofold-frontend" "\$@"
END
  chmod +x "$BATS_TEST_TMPDIR/twofold-frontend"
  ln -s "$(realpath "$bin/twofold-backend")" "$(realpath "$bin/twofold-client")" "$BATS_TEST_TMPDIR"
  run env TWOFOLD_DIR="$BATS_TEST_TMPDIR/second" "$bin/twofold" local up --free-ports \
    --programs "$BATS_TEST_TMPDIR"
  [ "$status" -eq 2 ]
  [[ "$output" == *"scalability-tester-frontend cannot run: exit code 2"*"${port#*:}"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/second" ]
}

@test "in the foreground it stays until it is told to end" {
  "$bin/twofold" local up --free-ports --foreground 3>&- >"$BATS_TEST_TMPDIR/out" 2>&1 &
  soon grep -q scalability-tester-client "$BATS_TEST_TMPDIR/out"
  kill -TERM $!
  wait $!
  [ ! -e "$TWOFOLD_DIR" ]
}

@test "wrong queues and missing clusters are said in one line" {
  run up --queues a=x
  [ "$status" -eq 2 ]
  [[ "$output" == "twofold: --queues 'a=x'"* ]]
  run "$bin/twofold" local scale scalability-tester-backend-sleep 1
  [ "$status" -eq 3 ]
  run "$bin/twofold" queues --frontend 127.0.0.1:1
  [ "$status" -eq 4 ]
  [[ "$output" == *"--frontend HOST:PORT"* ]]
}

@test "logs shows the end of the logs" {
  up
  run "$bin/twofold" local logs supervisor -n 1
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 1 ]
  run "$bin/twofold" local logs nobody
  [ "$status" -eq 3 ]
}

@test "names do without scalability-tester-" {
  up
  run "$bin/twofold" local scale backend-sleep 2 --wait
  [[ "$output" == *"scalability-tester-backend-sleep "*"2/2"* ]]
  run "$bin/twofold" local scale client-sleep 2
  [[ "$output" == *"scalability-tester-client-sleep is a client"* ]]
  run "$bin/twofold" local logs frontend -n 1
  [ "$status" -eq 0 ]
  run "$bin/twofold" local scale backend-slep 2
  [ "$status" -eq 3 ]
  [[ "$output" == *"did you mean 'backend-sleep'?"* ]]
}

@test "logs -f goes on when a process is killed, and ends with the cluster" {
  up
  "$bin/twofold" local logs -f client-sleep 3>&- >"$BATS_TEST_TMPDIR/followed" 2>&1 &
  follower=$!
  soon grep -q connected "$BATS_TEST_TMPDIR/followed"
  kill -9 "$(field scalability-tester-client-sleep 'pids[0]')"
  connected() { [ "$(grep -c connected "$BATS_TEST_TMPDIR/followed")" = "$1" ]; }
  soon connected 2
  "$bin/twofold" local down
  wait "$follower"
}

@test "what is killed stays away until it is started again, at its ports" {
  up
  before=$(field scalability-tester-frontend addresses.client)
  run "$bin/twofold" local kill frontend
  [ "$status" -eq 0 ]
  [[ "$output" == *" 0/1 "*yes* ]]
  soon is scalability-tester-backend-sleep ready 0
  run "$bin/twofold" local status
  [[ "$output" == *"HELD"*"killed by signal 9"* ]]
  run "$bin/twofold" queues
  [ "$status" -eq 4 ]
  run "$bin/twofold" local start frontend
  [[ "$output" == *"scalability-tester-frontend "*"1/1"* ]]
  [ "$(field scalability-tester-frontend addresses.client)" = "$before" ]
  soon is scalability-tester-backend-sleep ready 1
  "$bin/twofold" job submit sleep --wait -- 0.01
}

@test "kill and start say what they cannot do" {
  up
  run "$bin/twofold" local kill frontent
  [ "$status" -eq 3 ]
  [[ "$output" == *"did you mean 'frontend'?"* ]]
  run "$bin/twofold" local kill frontend --signal USR1
  [ "$status" -eq 2 ]
  "$bin/twofold" local kill client-sleep
  run "$bin/twofold" local kill client-sleep
  [[ "$output" == *"scalability-tester-client-sleep has no process"* ]]
  "$bin/twofold" local down
  run "$bin/twofold" local start client-sleep
  [ "$status" -eq 3 ]
}

@test "one frontend says so, and cannot be drained" {
  up
  run "$bin/twofold" frontends
  [ "$status" -eq 0 ]
  [[ "$output" == *serving*"There is one frontend"* ]]
  run "$bin/twofold" frontend drain frontend
  [ "$status" -eq 5 ]
}

@test "several frontends need a database that they can share" {
  run up --frontends 2
  [ "$status" -eq 2 ]
  [[ "$output" == *"several frontends share a PostgreSQL database"* ]]
  run up --frontends 2 --store sqlite:jobs.db
  [ "$status" -eq 2 ]
  run up --frontends 10 --postgres
  [ "$status" -eq 2 ]
  run up --postgres --store sqlite:jobs.db
  [ "$status" -eq 2 ]
  [ ! -e "$TWOFOLD_DIR" ]
}

needs_postgres() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || skip "no PostgreSQL"; }
finished() { psql "$store" -Atc 'SELECT count(*) FROM finished'; }

@test "--postgres brings a database that outlives a kill, and goes with the cluster" {
  needs_postgres
  up --postgres
  store=$(field scalability-tester-postgres addresses.store)
  data=$(readlink -f "$TWOFOLD_DIR/postgres")
  [ -d "$data" ]
  "$bin/twofold" job submit sleep --durable --wait -- 0.01
  [ "$(finished)" = 1 ]
  "$bin/twofold" local kill postgres
  "$bin/twofold" local start postgres
  soon "$bin/twofold" job submit sleep --durable --wait -- 0.01
  [ "$(finished)" -ge 2 ]
  all=$(pids)
  "$bin/twofold" local down
  # shellcheck disable=SC2086
  gone $all
  [ ! -e "$data" ] && [ ! -e "$TWOFOLD_DIR" ]
}

@test "what a killed supervisor leaves of a database goes with down" {
  needs_postgres
  up --postgres
  data=$(readlink -f "$TWOFOLD_DIR/postgres")
  all=$(pids)
  kill -9 "$(supervisor)"
  # shellcheck disable=SC2086
  soon gone $all
  [ -d "$data" ]
  "$bin/twofold" local down
  [ ! -e "$data" ] && [ ! -e "$TWOFOLD_DIR" ]
}

@test "--postgres says what to install" {
  # shellcheck disable=SC2016
  hide='mount -t tmpfs none /usr/lib/postgresql 2>/dev/null || true; exec "$0" local up --free-ports --postgres'
  if [ "$(id -u)" = 0 ]; then own=(unshare --mount); else own=(unshare --map-root-user --mount); fi
  "${own[@]}" true 2>/dev/null || skip "no mount namespaces"
  PATH=/usr/bin:/usr/sbin:/bin:/sbin run "${own[@]}" sh -c "$hide" "$bin/twofold"
  [ "$status" -eq 2 ]
  [[ "$output" == *"PostgreSQL is not installed (Debian: apt-get install postgresql)"* ]]
  [ ! -e "$TWOFOLD_DIR" ]
}

# The queues that a frontend serves.
owned() { "$bin/twofold" frontends --output json | jq -r ".[] | select(.name == \"$1\") | .queues"; }
owns() { [ "$(owned "$1")" = "$2" ]; }

@test "several frontends share the queues; a killed one comes back" {
  needs_postgres
  "$bin/twofold-frontend" --help | grep -q -e '--name' || skip "the frontends of this build share no database"
  up --frontends 2 --postgres --ttl 3 --queues a=0.01,b=0.01,c=0.01
  [ "$("$bin/twofold" frontends --output json | jq 'map(.queues) | add')" = 3 ]
  "$bin/twofold" local kill frontend-2
  soon owns frontend-1 3
  for queue in a b c; do "$bin/twofold" job submit "$queue" --durable --wait --timeout 30; done
  "$bin/twofold" local start frontend-2
  soon "$bin/twofold" frontend move b frontend-2  # others must have seen it first
  owns frontend-2 1
  "$bin/twofold" frontend drain frontend-1
  owns frontend-2 3
  for queue in a b c; do "$bin/twofold" job submit "$queue" --durable --wait --timeout 30; done
}

@test "workers sleep as a distribution says" {
  up --queues even=uniform:0.01-0.03,tail=bimodal:0.01,0.2,50%
  for _ in 1 2 3 4 5 6 7 8; do "$bin/twofold" job submit tail --wait --output json; done |
    jq -s 'map(.run_seconds) | (min < 0.15) and (max > 0.15) and all(. >= 0.01)' | grep -q true
  "$bin/twofold" job submit even --wait
  run up --queues a=lognormal:1
  [ "$status" -eq 2 ]
  [[ "$output" == *"after the comma stands sigma"* ]]
}

# A program that takes its time.
my_program() {
  cat >"$BATS_TEST_TMPDIR/my-program" <<'END'
#!/bin/sh
sleep "${1:-0.05}"
END
  chmod +x "$BATS_TEST_TMPDIR/my-program"
}

# validate QUEUE: whether two of its workers do more than one.
validate() {
  env TWOFOLD_BIN="$bin" TWOFOLD_CAP=60 TWOFOLD_JSON="$BATS_TEST_TMPDIR/result.json" "$BATS_TEST_DIRNAME/../../validate-scaling.sh" \
    "backend-$1" localhost 0.1 "client-$1" localhost 2 1.2
}

@test "any program is a workload, and its scaling can be validated" {
  my_program
  up -- "$BATS_TEST_TMPDIR/my-program"
  is scalability-tester-backend-my-program ready 1
  run validate my-program
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "--workload says that what follows is the workload, also of a queue with another name" {
  my_program
  up --queues q --workload -- "$BATS_TEST_TMPDIR/my-program" 0.06
  is scalability-tester-backend-q ready 1
  run validate q
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(jq -r .queue "$BATS_TEST_TMPDIR/result.json")" = q ]
  jq -e '[.windows[] | .run] | length == 2 and all(. >= 0.06 and . < 0.5)' "$BATS_TEST_TMPDIR/result.json"
}

@test "a program is looked up as a shell does, and a line for a shell is one" {
  my_program
  cd "$BATS_TEST_TMPDIR"
  up -- ./my-program
  is scalability-tester-backend-my-program ready 1
  "$bin/twofold" job submit my-program --wait -- 0.01
  "$bin/twofold" local down
  PATH=$BATS_TEST_TMPDIR:$PATH up --shell 'my-program "$1" && echo "did $1" | tr d D'
  run "$bin/twofold" job submit work --wait -- 0.02
  [ "$status" -eq 0 ]
  [[ "$output" == *"DiD 0.02"* ]]
}

@test "a program that is none is refused before anything is started" {
  cd "$BATS_TEST_TMPDIR"
  mkdir folder
  for program in ./folder ./no-such no-such; do
    run up -- "$program"
    [ "$status" -eq 2 ]
    [ ! -e "$TWOFOLD_DIR" ]
  done
  [[ "$output" == "twofold: 'no-such' is not in PATH ($PATH), nor built in, as sleep, fio, "* ]]
}

@test "--workload without a program is refused, with an example" {
  run up --queues q --workload
  [ "$status" -eq 2 ]
  [[ "$output" == "twofold: --workload: say what each worker runs"*"-- ./my-program"* ]]
  [ ! -e "$TWOFOLD_DIR" ]
}

# A frontend that wants a token, and a state folder of which a supervisor that lies names it.
impostor() {
  mkdir -m 700 "$TWOFOLD_DIR"
  cd "$BATS_TEST_TMPDIR" || return
  echo "admin me 0123456789abcdef" >tokens
  "$bin/twofold-frontend" --client-address 127.0.0.1:0 --worker-address 127.0.0.1:0 --http-address 127.0.0.1:0 \
    --ready-file ready --token-file tokens sleep 3>&- 2>log &
  pids=$!
  soon [ -e ready ]
  frontend=$(jq -r .client ready) /usr/bin/python3 - 3>&- <<'END' &
import fcntl, http.server, json, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"addresses": {"client": os.environ["frontend"]}}).encode())
folder = os.environ["TWOFOLD_DIR"]
lock = open(folder + "/lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open(folder + "/secret", "w").write("0123456789abcdef\n")
open(folder + "/new", "w").write(json.dumps({"http": "127.0.0.1:%d" % server.server_port}))
os.rename(folder + "/new", folder + "/supervisor.json")
server.serve_forever()
END
  pids="$pids $!"
  soon [ -e "$TWOFOLD_DIR/supervisor.json" ]
}

@test "no token goes to an address from a state folder" {
  bin=$(realpath "$bin")
  impostor
  export TWOFOLD_TOKEN=0123456789abcdef
  run "$bin/twofold" queues
  through_folder=$output
  run "$bin/twofold" queues --frontend "$(jq -r .client ready)"
  named=$status
  chmod o+w "$TWOFOLD_DIR"
  run "$bin/twofold" queues
  untrusted=$output
  run "$bin/twofold" local down
  left=$(ls "$TWOFOLD_DIR")
  # shellcheck disable=SC2086
  kill $pids
  rm -r "$TWOFOLD_DIR"
  [[ "$through_folder" == *"a token is needed"* ]]
  [ "$named" -eq 0 ]
  [[ "$untrusted" == *"$TWOFOLD_DIR is not trusted"* ]]
  [[ "$output" == *"$TWOFOLD_DIR is not trusted"* ]]
  [[ "$left" == *supervisor.json* ]]
}

@test "the supervisor does nothing for those who do not have its secret" {
  up
  url=http://$(jq -r .http "$TWOFOLD_DIR/supervisor.json")
  secret="Authorization: Bearer $(cat "$TWOFOLD_DIR/secret")"
  [ "$(stat -c %a "$TWOFOLD_DIR/secret" "$TWOFOLD_DIR" | tr '\n' ' ')" = "600 700 " ]
  code() { curl -s -o "$BATS_TEST_TMPDIR/answer" -w '%{http_code}' "$@"; }
  [ "$(code -X POST "$url/down")" = 401 ]
  [ "$(code -X POST -H "$secret" -H 'Sec-Fetch-Site: cross-site' "$url/down")" = 403 ]
  [ "$(code -X POST -H "$secret" -H 'Origin: http://evil.example' "$url/down")" = 403 ]
  [ "$(code -X POST -H "$secret" -H 'Host: evil.example' "$url/down")" = 421 ]
  [ "$(code -H "$secret" "$url/deployments")" = 200 ]
}
