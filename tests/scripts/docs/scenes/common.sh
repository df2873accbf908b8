# What scenes have in common. $BIN: the programs; $ROOT: the sources.
# shellcheck shell=bash

PATH=$BIN:$PATH

# An answer such as 404 is a failure, too.
curl() { command curl --fail-with-body "$@"; }

# await COMMAND...: until it succeeds, a minute at most.
await() {
  local i
  for ((i = 0; i < 600; i++)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "the scene does not come about: $*" >&2
  return 1
}

frontend() { twofold-frontend "$@" 2>frontend.log & await command curl -fsS localhost:9998/readyz; }

# worker QUEUE NODE [OPTION]... -- [WORKLOAD]...
worker() {
  TWOFOLD_NODE=$2 twofold-backend --queue "$1" --backoff 1 --node-env TWOFOLD_NODE "${@:3}" 2>>backend.log &
}

# workers QUEUE N: so many are connected
has_workers() {
  [ "$(twofold worker list --output json | jq "[.[] | select(.queue == \"$1\")] | length")" -ge "$2" ]
}
