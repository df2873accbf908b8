#!/bin/sh
# Makes the base image of the Dockerfiles from Debian's package mirror, where no registry can be reached.
set -eu

usage() {
  cat <<'HELP'
Usage: make-base.sh [NAME]

Makes a minimal Debian 12 with debootstrap and imports it as image NAME; without NAME under the
name that dockerfiles/scalability-tester.docker builds on. Needs root and the package debootstrap.

  TWOFOLD_ENGINE  podman (default) or docker
  TWOFOLD_MIRROR  mirror of Debian; default: the first one of this machine's apt. Security updates
                  come from the same with "-security" behind it.
HELP
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
name=${1:-$(sed -n 's/^ARG BASE=//p' "$(dirname "$0")/scalability-tester.docker")}
mirror=${TWOFOLD_MIRROR:-$("$(dirname "$0")/../scripts/debian-mirror.sh")}
engine=${TWOFOLD_ENGINE:-podman}

[ "$(id -u)" = 0 ] || { echo "make-base.sh: debootstrap needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "make-base.sh: debootstrap is not there: apt-get install debootstrap" >&2; exit 1; }

[ -n "$mirror" ] || { echo "make-base.sh: apt of this machine names no mirror: set TWOFOLD_MIRROR" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
root=$folder/root

# logged COMMAND...: its output is shown only if it fails.
logged() { "$@" >"$folder/log" 2>&1 || { tail "$folder/log" >&2; exit 1; }; }

echo "Making $name from $mirror"
logged debootstrap --variant=minbase bookworm "$root" "$mirror"
cat >"$root/etc/apt/sources.list" <<SOURCES
deb $mirror bookworm main
deb $mirror bookworm-updates main
deb $mirror-security bookworm-security main
SOURCES

# What makes the official image slim: no manuals and translations, now and in what is installed on it.
cat >"$root/etc/dpkg/dpkg.cfg.d/slim" <<'SLIM'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/man/*
SLIM
find "$root/usr/share/doc" -type f ! -name copyright -delete
rm -rf "$root"/usr/share/info/* "$root"/usr/share/locale/* "$root"/usr/share/man/*

logged chroot "$root" env DEBIAN_FRONTEND=noninteractive \
  sh -c 'apt-get update -q -q && apt-get upgrade -y -q -q && apt-get clean'
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/var/cache/apt/*.bin "$root/etc/resolv.conf" "$root/etc/hostname"

tar -C "$root" --numeric-owner --exclude './dev/*' -c . >"$folder/root.tar"
logged "$engine" import --change 'CMD ["/bin/sh"]' "$folder/root.tar" "$name"
echo "Made $name"
