#!/bin/sh
# Makes Debian packages of what is built.
set -eu

usage() {
  cat <<'END'
Usage: make-packages.sh [BUILD_FOLDER]

Makes the Debian packages of BUILD_FOLDER (build/user) in BUILD_FOLDER/packages: twofold,
twofold-frontend, twofold-backend, twofold-client, and the workloads twofold-gpu, twofold-objects and
twofold-pytorch. Needs Debian's debhelper; root is not needed.

  DEBFULLNAME, DEBEMAIL  who maintains the packages
  TWOFOLD_REVISION       what comes after the version of the project, such as ~rc1 or +site2

Example:
  cmake --preset user && cmake --build --preset user
  packaging/make-packages.sh && sudo apt-get install ./build/user/packages/*.deb

Exit codes: 0 made, 1 failed (the last lines say why), 2 wrong usage or nothing built.
END
}

refuse() { echo "make-packages.sh: $*" >&2; exit 2; }

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/user}" 2>/dev/null && pwd) || refuse "no folder ${1:-$root/build/user}: build first (--help)"
for program in twofold twofold-frontend twofold-backend twofold-client twofold-gpu twofold-objects twofold-pytorch; do
  # quickstart.sh builds only what it runs.
  [ -x "$build/bin/$program" ] || refuse "$build has no $program: build all first, cmake --build $build"
done
command -v dh >/dev/null || refuse "debhelper is not there: apt-get install debhelper"

version=$(sed -n 's/^project(twofold VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")${TWOFOLD_REVISION:-}
maintainer="${DEBFULLNAME:-Twofold} <${DEBEMAIL:-root@$(hostname -f 2>/dev/null || hostname)}>"
# So the same sources make the same packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
TWOFOLD_BUILD=$build
export SOURCE_DATE_EPOCH TWOFOLD_BUILD

packages=$build/packages source=$build/packages/source
rm -rf "$packages"
mkdir -p "$source"
cp -r "$root/packaging/debian" "$source"
sed "s/@maintainer@/$maintainer/" "$root/packaging/debian/control.in" >"$source/debian/control"
rm "$source/debian/control.in"
cat >"$source/debian/changelog" <<END
twofold ($version) bookworm; urgency=medium

  * See /usr/share/doc/twofold/docs/CHANGELOG.md.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
log=$packages/log
(cd "$source" && dpkg-buildpackage -b -us -uc) >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
rm -rf "$source"
ls "$packages"/*.deb
