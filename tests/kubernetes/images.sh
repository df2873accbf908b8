#!/bin/sh
# Builds the images of dockerfiles/, and lets their programs work together as strictly confined containers.
set -u

usage() {
  cat <<'HELP'
Usage: images.sh [OPTION]...

Builds the images (that of mpi with --mpi only: its sources come from upstream). Starts a frontend, two
sleep backends and a client on a network of their own, with a read-only root and without any capability.
Scales the backends with validate-scaling.sh, transcodes a clip with the media image, measures between
two iperf containers, on a temporary folder with fio, and with --mpi between two containers with MPI. Checks user, size, versions, labels, and that SIGTERM ends all in order.
Removes the containers, the network and the images that it made, and no others (cached layers of the
build stage are known by their label: build these images nowhere else meanwhile). The engine keeps the
cache of the compiler, so that a second run is quick; docker keeps its cached layers too.

  --base-from-debootstrap  make the base image with dockerfiles/make-base.sh if it is not there, instead
                           of pulling it
  --keep                   keep the images, tagged with the version of the project
  --mpi                    build and check the image of mpi, too
  --tag TAG                build nothing, check the images that have this tag
  --help                   this text

  TWOFOLD_ENGINE   podman or docker; default: podman if it is there, else docker
  CONTAINERS_CONF  podman's settings (containers.conf). If it is not set and podman's own settings do not
                   work here, limits that this machine grants and the runtimes crun and runc are tried.

Exit codes: 0 all passed, 1 some failed, 2 wrong usage, 77 skipped: no engine that works, or no base image.
HELP
}

say() { printf '%s\n' "$*"; }
skip() { say "SKIPPED: $*"; exit 77; }

# ---- checks

passed=0 failed=0
# check TEXT COMMAND...: the output of the command is shown if it fails.
check() {
  text=$1
  shift
  if "$@" >"$WORK/output" 2>&1; then
    passed=$((passed + 1))
    say "ok      $text"
  else
    failed=$((failed + 1))
    say "FAILED  $text"
    sed 's/^/        /' "$WORK/output"
  fi
}

# eventually COMMAND...: within a minute.
eventually() {
  for _ in $(seq 300); do
    "$@" && return
    sleep 0.2
  done
  return 1
}

same() { [ "$1" = "$2" ] || { say "'$1' is not '$2'"; return 1; }; }
field() { "$ENGINE" image inspect -f "$2" "$1"; }

# ---- engine and base

choose_engine() {
  ENGINE=${TWOFOLD_ENGINE:-}
  for candidate in podman docker; do
    [ -n "$ENGINE" ] || ! command -v "$candidate" >/dev/null || ENGINE=$candidate
  done
  [ -n "$ENGINE" ] || skip "neither podman nor docker is there (Debian: apt-get install podman)"
  case $ENGINE in
    podman | docker) ;;
    *) say "images.sh: TWOFOLD_ENGINE is podman or docker, not '$ENGINE'" >&2; exit 2 ;;
  esac
  "$ENGINE" info >"$WORK/output" 2>&1 || skip "$ENGINE does not work: $(tail -n 1 "$WORK/output")"
}

have_base() {
  base=$(sed -n 's/^ARG BASE=//p' "$root/dockerfiles/scalability-tester.docker")
  ! "$ENGINE" image inspect "$base" >/dev/null 2>&1 || return
  if [ "$debootstrap" = yes ]; then
    TWOFOLD_ENGINE=$ENGINE "$root/dockerfiles/make-base.sh" "$base" || skip "no base image $base"
  else
    "$ENGINE" pull -q "$base" || skip "no base image $base; without a registry: --base-from-debootstrap"
  fi
  made_images=$base
}

# The limit of resource $1: what is granted here, but no more than is useful.
limit() { prlimit "--$1" --noheadings -o HARD | awk '{ print ($1 == "unlimited" || $1 > 8192) ? 8192 : $1 }'; }

# Settings for machines where podman must not raise limits, or its runtime does not know the control groups.
settings() {
  files=$(limit nofile) processes=$(limit nproc)
  cat <<CONF
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=$processes:$processes"]
[engine]
runtime = "$1"
CONF
}

starts() { "$ENGINE" run --rm --network "$RUN" --label "twofold.test=$RUN" "$1" true >"$WORK/output" 2>&1; }

# Leaves settings with which a container of image $1 starts.
have_settings() {
  "$ENGINE" network create "$RUN" >/dev/null || skip "$ENGINE cannot make a network"
  starts "$1" && return
  why=$(tail -n 1 "$WORK/output")
  [ "$ENGINE,${CONTAINERS_CONF:-}" = podman, ] || skip "$ENGINE cannot start a container: $why"
  export CONTAINERS_CONF="$WORK/containers.conf"
  for runtime in crun runc; do
    settings "$runtime" >"$CONTAINERS_CONF"
    ! starts "$1" || { say "podman's own settings do not work here ($why); taken instead:"; cat "$CONTAINERS_CONF"; return; }
  done
  skip "podman cannot start a container: $why; with other limits and runc: $(tail -n 1 "$WORK/output")"
}

# ---- images

# What comes after scalability-tester- in the names of the images, without that of mpi.
families() {
  for file in "$root"/dockerfiles/scalability-tester-*.docker; do
    family=${file##*/scalability-tester-} family=${family%.docker}
    [ "$family" = mpi ] || echo "$family"
  done
}

# Images of the build stage, which nothing else marks as made by us.
stages() { "$ENGINE" images -a -q --no-trunc --filter label=twofold.stage=build | sort -u; }

build() {
  name=$1
  shift
  say "--- building $name"
  DOCKER_BUILDKIT=1 "$ENGINE" build -f "$root/dockerfiles/$name.docker" -t "$name:$TAG" "$@" "$root" >"$WORK/build.log" 2>&1 ||
    { tail -n 40 "$WORK/build.log"; say "FAILED  $name does not build"; exit 1; }
  made_images="$name:$TAG $made_images"
}

build_all() {
  revision=$(git -C "$root" rev-parse --short HEAD 2>/dev/null) || revision=unknown
  build scalability-tester --build-arg "REVISION=$revision"
  for family in $families; do
    build "scalability-tester-$family" --build-arg "REVISION=$revision" --build-arg "TWOFOLD=scalability-tester:$TAG"
  done
}

programs='twofold twofold-frontend twofold-backend twofold-client twofold-operator twofold-rsh'
version_of() { hardened --rm "$1" "/usr/local/bin/$2" --version; }
says_version() {
  shown=$(version_of "$1" "$2") || return
  case $shown in "$2 $3 ("*) ;; *) say "'$shown' is not $2 $3"; return 1 ;; esac
}

has_jemalloc() {
  hardened --rm -e MALLOC_CONF=stats_print:true "$1" /usr/local/bin/twofold-frontend --version 2>&1 |
    grep -F 'opt.dirty_decay_ms: 1000 '
}

# Bytes of the layers, not compressed.
at_most() {
  bytes=$(field "$1" '{{.Size}}')
  [ "$bytes" -le "$2" ] || { say "$bytes bytes are more than $2"; return 1; }
}

# The files of image $1 without those that the engine puts into a container.
files_of() {
  "$ENGINE" create --name "$RUN-files" --label "twofold.test=$RUN" "$1" >/dev/null || return
  "$ENGINE" export "$RUN-files" | tar -tv
  "$ENGINE" rm "$RUN-files" >/dev/null
}
nothing_but_programs() {
  files=$(files_of "$1")
  printf '%s\n' "$files" | grep -q ' usr/local/bin/twofold$' || { say "cannot list the files"; return 1; }
  ! printf '%s\n' "$files" | grep -E '/(sh|bash|dash|busybox|env|apt|dpkg)$|^[^ ]*s[^ ]* '
}
# A frontend that cannot write its ready file says so and ends.
says_read_only() { "$ENGINE" logs "$RUN-writer" 2>&1 | grep 'Read-only file system'; }
cannot_write() {
  start writer "$1" /usr/local/bin/twofold-frontend --client-address :0 --worker-address :0 --http-address :0 \
    --ready-file /tmp/ready sleep && eventually says_read_only
  code=$?
  "$ENGINE" rm -f "$RUN-writer" >/dev/null
  return "$code"
}

check_image() {
  image=$1:$TAG
  version=$(field "$image" '{{index .Config.Labels "org.opencontainers.image.version"}}')
  check "$1: numeric user that is not root" same "$(field "$image" '{{.Config.User}}')" 65532:65532
  check "$1: at most $2 MB ($(($(field "$image" '{{.Size}}') / 1000000)))" at_most "$image" "$2"000000
  for program in $programs; do
    check "$1: $program starts and has the version of the label, $version" says_version "$image" "$program" "$version"
  done
  check "$1: the frontend allocates with jemalloc, as it is set" has_jemalloc "$image"
  check "$1: nothing can be written" cannot_write "$image"
}

# ---- the programs together

answers() { curl --noproxy '*' -fsS -m 5 -o "$WORK/page" "$1"; }
workers() { answers "$frontend_url/metrics" && grep -qxF "twofold_worker_processes{queue=\"$1\"} $2" "$WORK/page"; }

start_cluster() {
  # shellcheck disable=SC2046  # a list of words
  start frontend -p 127.0.0.1::9998 "scalability-tester:$TAG" /usr/local/bin/twofold-frontend \
    --client-address :9997 --http-address :9998 --worker-address :9999 sleep mpi $(families) &&
    frontend_url=$(url frontend 9998) && eventually answers "$frontend_url/readyz" &&
    start_sleep_backend backend-1 && start_sleep_backend backend-2 &&
    start client -p 127.0.0.1::9996 --add-host "frontend:$(address frontend)" "scalability-tester:$TAG" \
      /usr/local/bin/twofold-client --frontend frontend:9997 --queue sleep --http-address :9996 &&
    client_url=$(url client 9996) && eventually answers "$client_url/healthz"
}

# Where `twofold validate` is: built here, else that of the image.
find_twofold() {
  for TWOFOLD_BIN in "$root/build/user/bin" "$root/build/dev/bin"; do [ ! -x "$TWOFOLD_BIN/twofold" ] || return 0; done
  TWOFOLD_BIN=$WORK/bin
  mkdir -p "$TWOFOLD_BIN" && "$ENGINE" create --name "$RUN-program" "scalability-tester:$TAG" >/dev/null &&
    "$ENGINE" cp "$RUN-program:/usr/local/bin/twofold" "$TWOFOLD_BIN/twofold" && "$ENGINE" rm "$RUN-program" >/dev/null
}
# With an API server on the containers, until it has ended.
validate() {
  find_twofold || return 1
  /usr/bin/python3 "$root/tests/kubernetes/containers_api.py" "$WORK/kubeconfig" &
  api=$!
  eventually test -e "$WORK/kubeconfig" && run_validation
  code=$?
  kill "$api"
  return "$code"
}
run_validation() {
  KUBECONFIG="$WORK/kubeconfig" TWOFOLD_BIN="$TWOFOLD_BIN" TWOFOLD_JSON="$WORK/result.json" \
    "$root/validate-scaling.sh" --timeout 60 --client-url "$client_url" --frontend-url "$frontend_url" \
    scalability-tester-backend-sleep monitoring 0.2 scalability-tester-client-sleep validation 2 1.8
}

make_clip() {
  mkdir "$WORK/videos" && chmod 777 "$WORK/videos" && chmod 711 "$WORK" &&
    hardened --rm -v "$WORK/videos:/videos" "scalability-tester-media:$TAG" /usr/bin/ffmpeg -nostdin -loglevel error \
      -f lavfi -i testsrc2=duration=2:size=320x240:rate=25 -c:v mpeg4 /videos/clip.mp4
}
start_media_backend() {
  start media-backend -v "$WORK/videos:/videos:ro" --add-host "frontend:$(address frontend)" "scalability-tester-media:$TAG" \
    /usr/local/bin/twofold-backend --frontend frontend:9999 --queue media --backoff 1 --limit 60 \
    --dir /videos --glob '*.mp4' --null-in -- \
    /usr/bin/ffmpeg -nostdin -y -loglevel error -i FILENAME -c:v libx264 -preset ultrafast -f null - &&
    eventually workers media 1
}
transcode() {
  hardened --rm --add-host "frontend:$(address frontend)" "scalability-tester:$TAG" \
    /usr/local/bin/twofold job submit media --frontend frontend:9997 --wait --timeout 60
}
has_onevpl() {
  hardened --rm "scalability-tester-media:$TAG" /usr/bin/sample_multi_transcode '-?' >"$WORK/page" && grep -q '^ *-hw' "$WORK/page"
}

# Workers of a suite as the manifests have them, with a folder that can be written.
start_workers() { # start_workers QUEUE SUITES NAME...
  queue=$1 suites=$2
  shift 2
  for worker in "$@"; do
    start "$worker" --tmpfs /tmp:mode=1777 --add-host "frontend:$(address frontend)" "scalability-tester-$queue:$TAG" \
      /usr/local/bin/twofold-backend --frontend frontend:9999 --queue "$queue" --backoff 1 --limit 60 \
      --peers-address :9994 --work-dir /tmp -- "$suites" || return
  done
  eventually workers "$queue" $#
}
# measures QUEUE [OPTION]... -- SPEC: as a job.
measures() {
  hardened --rm --add-host "frontend:$(address frontend)" "scalability-tester:$TAG" \
    /usr/local/bin/twofold job submit --frontend frontend:9997 --wait --timeout 60 "$@"
}

ended_in_order() {
  for name in client media-backend backend-1 $measuring frontend; do end "$name"; done
  cat "$WORK/exit-codes"
  ! grep -v ' 0$' "$WORK/exit-codes" >/dev/null && for name in client media-backend backend-1 backend-2 $measuring frontend; do
    grep -q "^$name 0$" "$WORK/exit-codes" || { say "$name did not end"; return 1; }
  done
}

# ---- the end: all that was made goes, nothing else

keep_images() {
  version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  for image in $made_images; do
    case $image in
      *":$TAG") "$ENGINE" tag "$image" "${image%:*}:$version" && "$ENGINE" rmi "$image" >/dev/null && say "kept ${image%:*}:$version" ;;
    esac
  done
}

remove_images() {
  for image in $made_images; do "$ENGINE" rmi "$image" >/dev/null; done
  for image in $(stages); do
    case $before in *"$image"*) ;; *) "$ENGINE" rmi "$image" >/dev/null 2>&1 ;; esac # gone with its child, perhaps
  done
}

clean_up() {
  code=$?
  trap '' INT TERM
  trap - EXIT
  containers=$("$ENGINE" ps -a -q --filter "label=twofold.test=$RUN")
  # shellcheck disable=SC2086  # a list of words
  [ -z "$containers" ] || "$ENGINE" rm -f $containers >/dev/null
  "$ENGINE" network rm "$RUN" >/dev/null 2>&1
  if [ "$keep" = yes ]; then keep_images; else remove_images; fi
  rm -rf "$WORK"
  exit "$code"
}

# ---- arguments

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/kubernetes/containers.sh disable=SC1091
. "$root/tests/kubernetes/containers.sh"
debootstrap='' keep='' mpi='' TAG='' families=$(families)
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --base-from-debootstrap) debootstrap=yes ;;
    --keep) keep=yes ;;
    --mpi) mpi=yes families="$families mpi" ;;
    --tag) [ $# -gt 1 ] || { usage >&2; exit 2; }; shift; TAG=$1 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

ENGINE='' made_images=''
RUN=twofold-test-$$
WORK=$(mktemp -d)
export ENGINE RUN WORK TAG
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
choose_engine
before=$(stages)
trap clean_up EXIT
if [ -n "$TAG" ]; then
  for family in '' $families; do
    name=scalability-tester${family:+-$family}
    field "$name:$TAG" '' >"$WORK/output" 2>&1 || { say "images.sh: there is no image $name:$TAG" >&2; exit 2; }
  done
  have_settings "scalability-tester-media:$TAG"
else
  TAG=test-$$
  have_base
  have_settings "$base"
  build_all
fi

check_image scalability-tester 50
check "scalability-tester: no shell, no package manager, nothing setuid" nothing_but_programs "scalability-tester:$TAG"
check_image scalability-tester-media 650
check "frontend, two backends and client start" start_cluster
check "two sleep workers are registered" eventually workers sleep 2
check "twice the containers do twice the work" validate
check "media image: ffmpeg makes a clip" make_clip
check "media image: its backend registers" start_media_backend
check "media image: ffmpeg transcodes as a job of the queue" transcode
check "media image: sample_multi_transcode is where the suite's README has it" has_onevpl
measuring='iperf-1 iperf-2 fio-1'
check_image scalability-tester-iperf 160
check "iperf image: two workers register" start_workers iperf iperf iperf-1 iperf-2
check "iperf image: iperf3 measures between them" measures iperf --gang 2 -- '{"duration": 1}'
check "iperf image: iperf 2 measures between them" measures iperf --gang 2 -- '{"duration": 1, "tool": "iperf2"}'
check_image scalability-tester-fio 270
check "fio image: a worker registers" start_workers fio fio fio-1
check "fio image: fio measures a folder" measures fio -- '{"size": "8M", "runtime": "1s", "direct": 0}'
measuring="$measuring openfoam-1 openfoam-2"
check_image scalability-tester-openfoam 800
check "openfoam image: two workers register" start_workers openfoam openfoam openfoam-1 openfoam-2
check "openfoam image: both solve a cavity, without ssh" measures openfoam --gang 2 -- '{"problemSize": "XS", "numProcs": 2, "numNodes": 2, "steps": 3}'
check_image scalability-tester-rdma 300
measuring="$measuring pytorch-1"
check_image scalability-tester-pytorch 1000
check "pytorch image: a worker registers" start_workers pytorch pytorch pytorch-1
check "pytorch image: a small model is trained" measures pytorch -- '{"model": "resnet18", "benchmarkType": "train", "inputBatchSize": 2, "imageSize": 64, "batches": 2}'
if [ -n "$mpi" ]; then
  measuring="$measuring mpi-1 mpi-2"
  check_image scalability-tester-mpi 400
  check "mpi image: two workers register" start_workers mpi osu,mpi-pingpong mpi-1 mpi-2
  check "mpi image: an OSU test between them, without ssh" measures mpi --gang 2 -- '{"tests": ["latency"], "sizes": "1:64", "iterations": 10}'
fi
check "SIGTERM ends all with code 0" ended_in_order
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
