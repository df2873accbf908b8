# For bats tests: programs of two versions in the current folder, where $old and $new are the folders of their programs.
# All functions take the VERSION of the program that they start: old or new.
# shellcheck shell=bash disable=SC2034  # which tests use

no_programs() {
  declare -gA client_at=() worker_at=() frontend_of=()
  store=sqlite:jobs.db
  frontends=(one)
  serving=() worker_rights=() client_rights=() queues=() processes=() pids=() succeeded=0
  : >accepted
  : >sleep.ran
  : >night.ran
}

end_all() {
  touch stop-old stop-new
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" || true; done
  tail -n 5 ./*.log
}

# One of $frontends; at the same addresses and with the same store each time. Several have names.
start_frontend() { # VERSION NAME
  local others=()
  [ ${#frontends[@]} = 1 ] || others=(--name "$2" --ttl 2)
  rm -f "$2.ready"
  "${!1}/twofold-frontend" --client-address "${client_at[$2]:-127.0.0.1:0}" --worker-address "${worker_at[$2]:-127.0.0.1:0}" \
    --http-address 127.0.0.1:0 --ready-file "$2.ready" --store "$store" --durable night "${others[@]}" "${serving[@]}" sleep night \
    2>>frontend.log 3>&- &
  frontend_of[$2]=$!
  pids+=($!)
  soon [ -e "$2.ready" ]
  client_at[$2]=$(jq -r .client "$2.ready")
  worker_at[$2]=$(jq -r .worker "$2.ready")
  contact=${client_at[${frontends[0]}]}
  clients=$(IFS=,; echo "${client_at[*]}")
  workers=$(IFS=,; echo "${worker_at[*]}")
}

start_frontends() { # VERSION
  for name in "${frontends[@]}"; do start_frontend "$1" "$name"; done
}

end_frontends() {
  for name in "${frontends[@]}"; do ends_well "${frontend_of[$name]}"; done
}

# A worker of a queue, with two slots, which notes in QUEUE.ran what it begins: job and attempt.
start_worker() { # VERSION QUEUE
  # shellcheck disable=SC2016  # of another shell
  "${!1}/twofold-backend" --frontend "$workers" --queue "$2" --slots 2 --backoff 0.1 --backoff-max 0.5 "${worker_rights[@]}" \
    -- /bin/sh -c 'echo "$TWOFOLD_JOB $TWOFOLD_ATTEMPT" >>"$0"; sleep "$1"' "$PWD/$2.ran" 2>>worker.log 3>&- &
  pids+=($!)
  processes+=($!)
  queues+=("$2")
}

start_load() { # VERSION: sleep, four jobs at once, until it is interrupted
  "${!1}/twofold" load --frontend "$contact" --queue sleep --parallel 4 --duration 300s --warm-up 0 --json "load-$1.json" "${client_rights[@]}" \
    -- 0.05 >>load.log 2>&1 3>&- &
  loader=$!
  pids+=($!)
}

start_client() { # VERSION: sleep, two jobs at once
  rm -f client.ready
  "${!1}/twofold-client" --frontend "$clients" --queue sleep --parallel 2 --http-address 127.0.0.1:0 --ready-file client.ready \
    "${client_rights[@]}" -- 0.05 2>>client.log 3>&- &
  client=$!
  pids+=($!)
  soon [ -e client.ready ]
  control=$(jq -r .http client.ready)
}

# Durable jobs, one after the other, until there is a file stop-VERSION. Who is not answered asks again.
start_submitter() { # VERSION
  while [ ! -e "stop-$1" ]; do ask "$1" "job submit" night --run night -- 0.03 2>>submit.log | jq -r .id >>accepted; done 3>&- &
  submitter=$!
  pids+=($!)
}

ask() { # VERSION COMMAND WORDS...: `twofold`, which answers in JSON
  # shellcheck disable=SC2086  # one or two words
  "${!1}/twofold" $2 --frontend "$contact" --output json "${client_rights[@]}" "${@:3}"
}

ends_well() { kill "$1" && wait "$1"; }

lines() { wc -l <"$1"; }
has_lines() { [ "$(lines "$1")" -ge "$2" ]; }
both_go_on() {
  local night sleep
  night=$(lines night.ran) sleep=$(lines sleep.ran)
  soon has_lines night.ran $((night + 20))
  soon has_lines sleep.ran $((sleep + 40))
}

# metric NAME LABELS: the sum of twofold-client's, where labels match.
metric() {
  curl -s --noproxy '*' "http://$control/metrics" | awk -v name="$1" -v labels="$2" 'index($1, name "{") == 1 && $1 ~ labels { sum += $2 } END { print sum + 0 }'
}
client_finished() { metric twofold_client_jobs_finished_total "outcome=\"$1\""; }
client_finished_many() { [ "$(client_finished succeeded)" -ge 40 ]; }
client_has_all_answers() { [ "$(metric twofold_client_pending_jobs .)" = 0 ]; }

# What is loaded ends without a failed job; $succeeded counts the others.
end_client() {
  curl -s --noproxy '*' "http://$control/parallel?value=0&type=plain"
  soon client_has_all_answers
  [ "$(client_finished '[^s].*')" = 0 ]
  succeeded=$((succeeded + $(client_finished succeeded)))
  ends_well "$client"
}
end_load() { # VERSION
  kill -INT "$loader"
  wait "$loader" || [ $? -eq 130 ]
  # An older version has its jobs elsewhere, without those that were outstanding when it was interrupted.
  jq '[.result.jobs // (.result | {sent: .succeeded, succeeded, failed, rejected}), .warm_up // empty] | map(map_values(tonumber))' \
    "load-$1.json" >load
  jq -e 'all(.sent == .succeeded and .failed == 0 and .rejected == 0)' load
  succeeded=$((succeeded + $(jq 'map(.succeeded) | add' load)))
}
