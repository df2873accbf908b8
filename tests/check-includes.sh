#!/bin/sh
# Compares each #include "..." of the libraries with their DEPS: check-includes.sh BUILD_DIR.
# BUILD_DIR/includes/NAME has the folder of library NAME, then what it may include (see
# cmake/TwofoldTargets.cmake). A file belongs to the library of the nearest folder above it; where a
# folder has two (messages, and services on top of them), either may be among the DEPS.
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
  find lib suites frontend backend client cli -name '*.h' -o -name '*.cc' | sort | xargs \
    awk '/^#include "/ { split($0, part, "\""); print "inc", FILENAME, part[2] }'
}

facts | awk '
  function owner(path) {
    while (sub("/[^/]*$", "", path)) if (path in library) return library[path]
    return ""
  }
  function may(from, to,   names, i) {
    for (i = split(to, names); i > 0; --i) if ((from, names[i]) in allowed) return 1
    return 0
  }
  $1 == "lib" { if ($3 in library) library[$3] = library[$3] " " $2; else library[$3] = $2 }
  $1 == "dep" { allowed[$2, $3] = 1 }
  $1 == "inc" {
    ++seen; from = owner($2); to = owner($3)
    if (from == "" || to == "" || from == to || may(from, to)) next
    printf "%s includes %s, but %s is not among the DEPS of %s\n", $2, $3, to, from; ++bad
  }
  END { printf "%d includes, %d not allowed\n", seen, bad; exit bad > 0 || seen == 0 }'
