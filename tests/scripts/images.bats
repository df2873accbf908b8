#!/usr/bin/env bats
# The scripts of the images, as far as they go without a container engine (tests/kubernetes/images.sh is
# the test with one), and what the Dockerfiles must agree upon with the rest of the project.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  images="$root/tests/kubernetes/images.sh"
  tools="$BATS_TEST_TMPDIR/tools"
}

# A PATH on which the standard tools are, but no engine; and `podman ARGUMENTS` if there is $1, its text.
without_engines() {
  mkdir "$tools"
  for tool in sh cat dirname mktemp rm sed tail; do ln -s "$(command -v "$tool")" "$tools"; done
  if [ $# -gt 0 ]; then
    printf '#!/bin/sh\n%s\n' "$1" >"$tools/podman"
    chmod +x "$tools/podman"
  fi
}

make_root() { "$root/dockerfiles/make-root.sh" "$@"; }

@test "images.sh without an engine says so and counts as skipped" {
  without_engines
  PATH=$tools run "$images"
  [ "$status" -eq 77 ]
  [[ "$output" == "SKIPPED: neither podman nor docker is there"* ]]
}

@test "images.sh with an engine that does not work says why and counts as skipped" {
  without_engines 'echo "no space left" >&2; exit 1'
  PATH=$tools run "$images"
  [ "$status" -eq 77 ]
  [[ "$output" == "SKIPPED: podman does not work: no space left" ]]
}

@test "images.sh refuses what it does not know before it touches anything" {
  without_engines 'touch "$BATS_TEST_TMPDIR/touched"'
  PATH=$tools run "$images" --all
  [ "$status" -eq 2 ]
  [[ "$output" == "Usage: images.sh"* ]]
  PATH=$tools run "$images" --tag
  [ "$status" -eq 2 ]
  PATH=$tools TWOFOLD_ENGINE=rm run "$images"
  [ "$status" -eq 2 ]
  [ ! -e "$BATS_TEST_TMPDIR/touched" ]
}

@test "each script explains itself" {
  for script in "$images" "$root/dockerfiles/make-base.sh"; do
    run "$script" --help
    [ "$status" -eq 0 ]
    [[ "$output" == "Usage: "* ]]
  done
  run make_root
  [ "$status" -eq 2 ]
  [[ "$output" == "usage: make-root.sh FOLDER PROGRAM..." ]]
}

@test "make-base.sh refuses an unknown option" {
  run "$root/dockerfiles/make-base.sh" --force
  [ "$status" -eq 2 ]
}

@test "the root of an image has the program, its libraries, and what they came from" {
  make_root "$BATS_TEST_TMPDIR/root" /usr/bin/jq
  cd "$BATS_TEST_TMPDIR/root"
  for file in usr/local/bin/jq lib/*/libc.so.6 lib/*/libjq.so.1 etc/ssl/certs/ca-certificates.crt; do [ -f "$file" ]; done
  grep -q '^Version: ' var/lib/dpkg/status.d/libjq1
  [ -s usr/share/doc/libjq1/copyright ]
  grep -q '^twofold:x:65532:65532:' etc/passwd
  [ -z "$(find . -name sh -o -name bash -o -name dash)" ]
}

@test "the root of an image comes out the same each time" {
  for name in one two; do
    make_root "$BATS_TEST_TMPDIR/$name" /usr/bin/jq
    tar -C "$BATS_TEST_TMPDIR/$name" --sort=name -cf "$BATS_TEST_TMPDIR/$name.tar" .
  done
  cmp "$BATS_TEST_TMPDIR/one.tar" "$BATS_TEST_TMPDIR/two.tar"
}

@test "the root of an image is not made without a library that is in no package" {
  mkdir "$BATS_TEST_TMPDIR/lib"
  cp "$(ldd /usr/bin/jq | awk '/libjq/ { print $3 }')" "$BATS_TEST_TMPDIR/lib"
  LD_LIBRARY_PATH="$BATS_TEST_TMPDIR/lib" run make_root "$BATS_TEST_TMPDIR/root" /usr/bin/jq
  [ "$status" -ne 0 ]
  [[ "$output" == *libjq* ]]
}

@test "a build of the images gets every folder that a build of the programs reads" {
  folders=$(sed -n 's,^ *add_subdirectory(\([a-z]*\).*,\1,p' "$root/CMakeLists.txt" | grep -vx -e tests -e bench)
  [ -n "$folders" ]
  for folder in $folders; do grep -qx "!$folder" "$root/.dockerignore"; done
}

@test "images have the version of the project and the same base" {
  version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  for file in "$root"/dockerfiles/*.docker; do
    grep -qF "org.opencontainers.image.version=\"$version\"" "$file"
    grep -qF ":$version " "$file"
  done
  [ "$(cat "$root"/dockerfiles/*.docker | grep '^ARG BASE=' | sort -u | wc -l)" = 1 ]
}
