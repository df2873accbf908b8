#!/bin/sh
# Installs the Debian packages named in the given lists: install-packages.sh FILE...
# Says what it installs before it does; root or sudo is needed only if something is missing.
set -eu

# The packages of the lists that are not installed.
missing() {
  sed '/^#/d' "$@" | while read -r package; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "install-packages.sh: run this as root, or install sudo, or install by hand: $packages" >&2
    exit 1
  fi
}

[ $# -gt 0 ] || { echo "usage: install-packages.sh FILE..." >&2; exit 2; }
command -v apt-get >/dev/null || { echo "install-packages.sh: no apt-get: Debian 12 is needed" >&2; exit 1; }
packages=$(missing "$@")
if [ -z "$packages" ]; then
  echo "All Debian packages are there."
  exit 0
fi
echo "Installing Debian packages: $packages"
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -q -q
# shellcheck disable=SC2086  # a list of words
as_root apt-get install -y -q -q --no-install-recommends $packages

# The tests start a Prometheus and an etcd of their own; the services that come with the packages are not wanted.
for package in $packages; do
  case $package in
    prometheus) service=prometheus ;;
    etcd-server) service=etcd ;;
    *) continue ;;
  esac
  if [ -d /run/systemd/system ]; then as_root systemctl --quiet disable --now "$service"; fi
done
