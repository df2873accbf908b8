# The containers of one run of images.sh, for it and for its kubectl. All are named and labelled by $RUN,
# which is the name of their network too; $ENGINE is podman or docker, $WORK a folder, $TAG that of the images.
# shellcheck shell=sh

# hardened OPTION... IMAGE COMMAND...: a container as strict as a pod of deployments/: nothing can be
# written, no capability, no new privileges. (podman would add writable /tmp, /run and /var/tmp.)
hardened() {
  no_tmpfs=
  [ "$ENGINE" != podman ] || no_tmpfs=--read-only-tmpfs=false
  # shellcheck disable=SC2086  # nothing or one word
  "$ENGINE" run --network "$RUN" --label "twofold.test=$RUN" --read-only $no_tmpfs --cap-drop ALL \
    --security-opt no-new-privileges "$@"
}

# start NAME OPTION... IMAGE COMMAND...
start() {
  name=$1
  shift
  hardened -d --name "$RUN-$name" "$@" >/dev/null
}

# start_sleep_backend NAME: /etc/hosts tells it who `frontend` is.
start_sleep_backend() {
  start "$1" --label twofold.backend=sleep --add-host "frontend:$(address frontend)" "scalability-tester:$TAG" \
    /usr/local/bin/twofold-backend --frontend frontend:9999 --queue sleep --backoff 1 -- sleep 0.2
}

# end NAME: by SIGTERM; notes the exit code, which is 137 if that did not end it.
end() {
  "$ENGINE" stop -t 20 "$RUN-$1" >/dev/null || return 1
  echo "$1 $("$ENGINE" inspect -f '{{.State.ExitCode}}' "$RUN-$1")" >>"$WORK/exit-codes"
  "$ENGINE" rm "$RUN-$1" >/dev/null
}

# Lines "NAME STATE" of the sleep backends.
sleep_backends() {
  "$ENGINE" ps -a --filter "label=twofold.test=$RUN" --filter label=twofold.backend=sleep --format '{{.Names}}' |
    sort | while read -r full; do
    echo "${full#"$RUN-"} $("$ENGINE" inspect -f '{{.State.Status}}' "$full")"
  done
}

address() {
  "$ENGINE" inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$RUN-$1"
}

# url NAME PORT: where this machine reaches a published port.
url() { echo "http://$("$ENGINE" port "$RUN-$1" "$2" | head -n 1)"; }
