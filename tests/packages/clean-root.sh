#!/bin/sh
# shellcheck disable=SC2016  # what stands in single quotes is for a shell of the clean root
# The Debian packages in a root that has nothing else: installed, used, upgraded, removed, purged.
set -u

usage() {
  cat <<'HELP'
Usage: clean-root.sh [BUILD_FOLDER]

Makes packages of BUILD_FOLDER (build/user) twice, the second time as an upgrade, and a minimal Debian
12 with debootstrap. In that: installs them, brings up a local cluster and validates its scaling, runs the
services under systemd (with systemd-nspawn, if it is there), upgrades them with a changed configuration,
removes and purges them. Needs root, debootstrap and a package mirror.

  TWOFOLD_MIRROR  mirror of Debian; default: the first one of this machine's apt
  TWOFOLD_BASE    a folder with a minimal Debian 12, instead of debootstrap; it stays as it is

Exit codes: 0 all passed, 1 some failed, 2 wrong usage, 77 skipped: not root, no debootstrap, no mirror.
HELP
}

say() { printf '%s\n' "$*"; }
skip() { say "SKIPPED: $*"; exit 77; }

passed=0 failed=0
# check TEXT COMMAND...: the output of the command is shown if it fails.
check() {
  text=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    say "ok      $text"
  else
    failed=$((failed + 1))
    say "FAILED  $text"
    tail -n 40 "$work/output" | sed 's/^/        /'
  fi
}

# within SCRIPT: as root of the clean root, in which nothing outlives it.
within() {
  unshare --mount --pid --fork --kill-child sh -c '
    mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev" && mkdir "$0/dev/shm" &&
      mknod -m 666 "$0/dev/null" c 1 3 && mknod -m 666 "$0/dev/urandom" c 1 9 &&
      exec chroot "$0" sh -ec "$1"' "$root" "export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive; $1"
}

# boot: starts systemd in the clean root, with a network of its own; `booted COMMAND...` is in there.
boot() {
  systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network --boot --console=pipe >"$work/boot" 2>&1 &
  container=$!
  for _ in $(seq 120); do
    leader=$(pgrep -P "$container" | head -n 1)
    if [ -n "$leader" ] && booted systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; then return; fi
    sleep 0.5
  done
  cat "$work/boot"
  return 1
}
booted() { nsenter -t "$leader" -a env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
shut_down() {
  booted systemctl poweroff
  wait "$container"
  container=
}

# eventually COMMAND...: within twenty seconds.
eventually() {
  for _ in $(seq 100); do
    "$@" && return
    sleep 0.2
  done
  return 1
}

serves() { booted twofold queues --output csv | grep -q '^sleep,open,'; }
runs_a_job() { booted twofold job submit sleep --wait --timeout 20 --durable -- 0.01; }
keeps_jobs() {
  booted systemctl restart twofold-frontend && eventually serves &&
    [ "$(booted twofold job list --finished --output json | grep -c succeeded)" -ge 1 ]
}
ends_for_good() {
  booted sh -c 'cp -p /etc/twofold/frontend /root && echo "OPTIONS=--nonsense" >>/etc/twofold/frontend
    systemctl restart twofold-frontend; sleep 2; systemctl show -p ActiveState,NRestarts twofold-frontend
    mv /root/frontend /etc/twofold' >"$work/state"
  cat "$work/state"
  grep -q ActiveState=failed "$work/state" && grep -q NRestarts=0 "$work/state"
}

# packages REVISION FOLDER: makes them, and puts them where the clean root sees them.
packages() {
  TWOFOLD_REVISION=$1 "$top/packaging/make-packages.sh" "$build" >"$work/output" || return 1
  mkdir -p "$root/$2" && cp "$build"/packages/*.deb "$root/$2"
}

make_root() {
  if [ -n "${TWOFOLD_BASE:-}" ]; then
    cp -a "$TWOFOLD_BASE" "$root"
  else
    debootstrap --variant=minbase bookworm "$root" "$mirror" >"$work/output" 2>&1 || { tail "$work/output"; return 1; }
  fi
  cp /etc/resolv.conf "$root/etc"
  echo "127.0.0.1 localhost" >"$root/etc/hosts"
  printf '%s\n' "deb $mirror bookworm main" "deb $mirror bookworm-updates main" >"$root/etc/apt/sources.list"
}

all='twofold twofold-frontend twofold-backend twofold-client twofold-gpu twofold-objects'
# install FOLDER: what apt says a person to type.
install() {
  within "cd /$1 && apt-get update -q -q && apt-get install -y -q -q --no-install-recommends \
    systemd-sysv dbus \$(for p in $all; do echo ./\${p}_*.deb; done)"
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$top/build/user}" 2>/dev/null && pwd) || { say "clean-root.sh: no folder ${1:-build/user}" >&2; exit 2; }
mirror=${TWOFOLD_MIRROR:-$("$top/scripts/debian-mirror.sh")}
[ "$(id -u)" = 0 ] || skip "a clean root needs root"
[ -n "${TWOFOLD_BASE:-}" ] || command -v debootstrap >/dev/null || skip "no debootstrap"
command -v dh >/dev/null || skip "no debhelper"
[ -n "$mirror" ] || skip "apt of this machine names no mirror: set TWOFOLD_MIRROR"

work=$(mktemp -d) || exit 1
root=$work/root
container=
clean_up() {
  [ -z "$container" ] || { kill "$container"; wait "$container"; }
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

check "a minimal Debian 12" make_root
check "packages" packages '' first
check "lintian has no errors but the maintainer's address" lintian --fail-on error \
  --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact "$build"/packages/*.deb
check "apt installs them with what they need" install first
check "each program runs and says its version" within "for p in $all twofold-rsh; do \$p --version; done"
check "the frontend allocates with jemalloc, as it is set" within '
  MALLOC_CONF=stats_print:true twofold-frontend --version 2>&1 | grep -F "opt.dirty_decay_ms: 1000 "'
check "validate-scaling.sh runs" within 'validate-scaling.sh --help'
check "manual pages are there" within 'for p in twofold twofold-frontend validate-scaling.sh; do test -s /usr/share/man/man1/$p.1.gz; done'
check "services have users and configuration, and are not enabled" within '
  id twofold-frontend; id twofold-backend
  test -r /etc/twofold/frontend; test -r /etc/twofold/backend
  ! find /etc/systemd/system -name "twofold*" | grep .'
check "what the services start with is good" within '
  . /etc/twofold/backend
  twofold-backend --check-config --queue sleep $OPTIONS -- $WORKLOAD
  . /etc/twofold/frontend
  twofold-frontend --check-config $OPTIONS $QUEUES'
started=$(date +%s)
check "a local cluster is validated from /usr/bin" within '
  cd /root
  twofold local up --queues sleep=0.1 --free-ports
  trap "twofold local down" EXIT
  validate-scaling.sh scalability-tester-backend-sleep localhost 0.1 scalability-tester-client-sleep localhost 4 1.7'
say "        $(($(date +%s) - started)) s to the verdict"
if command -v systemd-nspawn >/dev/null; then
  check "systemd starts" boot
  check "the services start" booted systemctl enable --now twofold-frontend twofold-backend@sleep
  check "the frontend serves" eventually serves
  check "a worker runs a job" runs_a_job
  check "a restarted frontend has the job" keeps_jobs
  check "a wrong option ends the service for good" ends_for_good
  check "systemd ends" shut_down
fi
check "an upgrade" packages +2 second
within 'echo "QUEUES=\"sleep fio\"" >>/etc/twofold/frontend; mkdir -p /var/lib/twofold/frontend; echo kept >/var/lib/twofold/frontend/jobs.db'
check "apt upgrades them" install second
check "the new version is there, changed configuration and state stay" within '
  dpkg-query -W twofold-frontend | grep -F +2
  grep -F "sleep fio" /etc/twofold/frontend
  grep kept /var/lib/twofold/frontend/jobs.db'
check "apt removes them; configuration and state stay" within "
  apt-get remove -y -q -q $all
  ! ls /usr/bin/twofold* /usr/libexec/twofold /usr/bin/validate-scaling.sh 2>/dev/null
  test -s /etc/twofold/frontend; test -s /var/lib/twofold/frontend/jobs.db"
check "purging leaves nothing" within "
  dpkg --purge twofold-frontend twofold-backend
  ! find / -xdev -path '*twofold*' -not -path '/first/*' -not -path '/second/*' -not -path '/var/lib/systemd/*' | grep ."

say "$passed passed, $failed failed"
[ "$failed" = 0 ]
