#!/bin/sh
# Compares each #include "..." of the libraries with their DEPS, which must descend: check-includes.sh BUILD_DIR.
# BUILD_DIR/includes/NAME has the folder of library NAME, then what it may include (see
# cmake/TwofoldTargets.cmake). A file belongs to the library of the nearest folder above it.
set -eu

if [ $# != 1 ] || [ ! -d "$1/includes" ]; then
  echo "usage: check-includes.sh BUILD_DIR" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

# Lines: "lib NAME FOLDER", "dep NAME DEP", "inc FILE HEADER".
facts() {
  for file in "$build"/includes/*; do
    awk -v name="${file##*/}" '{ print NR == 1 ? "lib" : "dep", name, $1 }' "$file"
  done
  # shellcheck disable=SC2016  # the dollar is for awk
  find lib frontend backend rsh client cli -name '*.h' -o -name '*.cc' | sort | xargs \
    awk '/^#include "/ { split($0, part, "\""); print "inc", FILENAME, part[2] }'
}

# Each library stands over its DEPS, so that none may stand over itself.
if ! circles=$(facts | awk '$1 == "dep" { print $2, $3 }' | tsort 2>&1 >/dev/null); then
  printf 'DEPS go round in a circle:\n%s\n' "$circles"
  exit 1
fi

facts | awk '
  function owner(path) {
    while (sub("/[^/]*$", "", path)) if (path in library) return library[path]
    return ""
  }
  $1 == "lib" { library[$3] = $2 }
  $1 == "dep" { allowed[$2, $3] = 1 }
  $1 == "inc" {
    ++seen; from = owner($2); to = owner($3)
    if (from == "" || to == "" || from == to || (from, to) in allowed) next
    printf "%s includes %s, but %s is not among the DEPS of %s\n", $2, $3, to, from; ++bad
  }
  END { printf "%d includes, %d not allowed\n", seen, bad; exit bad > 0 || seen == 0 }'
