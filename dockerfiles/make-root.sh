#!/bin/sh
# The root file system of an image that holds some programs and nothing else: make-root.sh FOLDER PROGRAM...
# Debian 12, run by scalability-tester.docker.
#
# Beside the stripped programs there are the shared libraries that ldd names, certificates, time
# zones, the user that runs them, and for each Debian package that a file came from its dpkg status and copyright: by
# these, vulnerability scanners know what is inside (status.d is where they look in images without dpkg).
set -eu

[ $# -gt 1 ] || { echo "usage: make-root.sh FOLDER PROGRAM..." >&2; exit 2; }
root=$1
shift

# The libraries of the programs, and the loader.
libraries() { ldd "$@" | grep -o '/[^ :]*\.so[^ ]*' | sort -u; }

# packages_of FILE...: what they came from. Debian 12 knows files below /lib by that name or as /usr/lib.
packages_of() {
  names=
  for file; do names="$names $file /usr$file"; done
  # shellcheck disable=SC2086  # words
  known=$(dpkg-query -S $names 2>/dev/null) || true
  for file; do
    echo "$known" | awk -v file="$file" '
      $NF == file || $NF == "/usr" file { sub(":.*", ""); print; found = 1; exit }
      END { if (!found) print file ": in no package" >"/dev/stderr"; exit !found }' || return 1
  done
}

# Notes that something of package $1 is inside.
note() {
  mkdir -p "$root/usr/share/doc/$1"
  cp "/usr/share/doc/$1/copyright" "$root/usr/share/doc/$1/"
  dpkg-query -s "$1" >"$root/var/lib/dpkg/status.d/$1"
}

# Copies files to the same places below the root.
take() {
  for file; do install -D -m "$(stat -L -c %a "$file")" "$file" "$root$file"; done
  packages=$(packages_of "$@") # on its own: a failure inside an argument would pass unseen
  for package in $(echo "$packages" | sort -u); do note "$package"; done
}

# As in Debian: /lib is a link, so that ldd's paths hold.
mkdir -p "$root/etc/ssl/certs" "$root/tmp" "$root/usr/lib" "$root/usr/lib64" "$root/var/lib/dpkg/status.d"
chmod 1777 "$root/tmp"
ln -s usr/lib usr/lib64 "$root"

mkdir -p "$root/usr/local/bin"
for program in "$@"; do
  strip -o "$root/usr/local/bin/$(basename "$program")" "$program"
done
# shellcheck disable=SC2046  # words
take $(libraries "$@") /usr/lib/os-release
ln -s ../usr/lib/os-release "$root/etc/os-release"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
note ca-certificates
cp -r /usr/share/zoneinfo "$root/usr/share/" # of schedules
rm -rf "$root/usr/share/zoneinfo/posix" "$root/usr/share/zoneinfo/right" "$root/usr/share/zoneinfo/localtime"
note tzdata
echo 'hosts: files dns' >"$root/etc/nsswitch.conf" # without it, glibc asks DNS before /etc/hosts
printf '%s\n' root:x:0:0:root:/:/usr/sbin/nologin twofold:x:65532:65532:twofold:/:/usr/sbin/nologin >"$root/etc/passwd"
printf '%s\n' root:x:0: twofold:x:65532: >"$root/etc/group"

# The same files make the same layer, whenever they were made.
find "$root" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
