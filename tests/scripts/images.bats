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
  for script in "$images" "$root"/dockerfiles/{make-base,make-sbom,list-images,sign-images,verify-images}.sh; do
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
  "$root/dockerfiles/make-sbom.sh" . jq 1 | jq -e '[.packages[].name | select(. == "libjq1" or . == "libc6")] | length == 2' >/dev/null
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

@test "list-images.sh says where images are, and how to copy them" {
  list() { "$root/dockerfiles/list-images.sh" "$@"; }
  [ "$(list --others)" = docker.io/library/postgres:15 ]
  [ "$(list --others mirror.test:5000/a)" = mirror.test:5000/a/postgres:15 ]
  [ "$(list --ours mirror.test/a 9.9 | grep fio)" = mirror.test/a/scalability-tester-fio:9.9 ]
  [ "$(list --base)" = docker.io/library/debian:12-slim ]
  [ "$(list --copy-from from.test to.test | grep postgres)" = \
    "skopeo copy --all --preserve-digests docker://docker.io/library/postgres:15 docker://to.test/postgres:15" ]
  run -2 list --copy-from from.test
}

@test "what is inside a root is said as SPDX 2.3, the same each time" {
  local folder=$BATS_TEST_TMPDIR/root
  mkdir -p "$folder/var/lib/dpkg/status.d" "$folder/usr/local/bin"
  printf 'Package: libstdc++6\nStatus: install ok installed\nArchitecture: amd64\nSource: gcc-12 (12.2.0)\nVersion: 1:12.2.0-14+b1\n\n%s\n' \
    $'Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1' >"$folder/var/lib/dpkg/status"
  printf 'Package: libc6\nArchitecture: amd64\nVersion: 2.36-9\n' >"$folder/var/lib/dpkg/status.d/libc6"
  echo "of ours" >"$folder/usr/local/bin/a \"b\""
  SOURCE_DATE_EPOCH=86400 "$root/dockerfiles/make-sbom.sh" "$folder" twofold-x 1.2.3 >"$BATS_TEST_TMPDIR/x.json"
  SOURCE_DATE_EPOCH=86400 "$root/dockerfiles/make-sbom.sh" "$folder/" twofold-x 1.2.3 | cmp - "$BATS_TEST_TMPDIR/x.json"
  /usr/bin/python3 - "$BATS_TEST_TMPDIR/x.json" <<'END'
import hashlib, json, re, sys
doc = json.load(open(sys.argv[1]))
assert (doc["spdxVersion"], doc["dataLicense"], doc["SPDXID"], doc["name"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT", "twofold-x-1.2.3")
assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", doc["documentNamespace"])
assert doc["creationInfo"]["created"] == "1970-01-02T00:00:00Z"
assert all(re.fullmatch(r"(Tool|Organization|Person): .+", who) for who in doc["creationInfo"]["creators"])
image, *packages = doc["packages"]
assert image["name"] == "twofold-x" and {(p["name"], p["versionInfo"]) for p in packages} == {("libstdc++6", "1:12.2.0-14+b1"), ("libc6", "2.36-9")}
assert {p["externalRefs"][0]["referenceLocator"] for p in packages} == {
    "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14%2Bb1?arch=amd64", "pkg:deb/debian/libc6@2.36-9?arch=amd64"}
assert all(p["downloadLocation"] and p["filesAnalyzed"] is False for p in doc["packages"])
(file,) = doc["files"]
assert file["fileName"] == './usr/local/bin/a "b"'
sums = {c["algorithm"]: c["checksumValue"] for c in file["checksums"]}
assert sums == {"SHA1": hashlib.sha1(b"of ours\n").hexdigest(), "SHA256": hashlib.sha256(b"of ours\n").hexdigest()}
ids = [thing["SPDXID"] for thing in doc["packages"] + doc["files"]]
assert len(set(ids)) == 4 and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in ids)
related = [(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in doc["relationships"]]
assert related == [("SPDXRef-DOCUMENT", "DESCRIBES", ids[0])] + [(ids[0], "CONTAINS", name) for name in ids[1:]]
END
  run -1 "$root/dockerfiles/make-sbom.sh" "$BATS_TEST_TMPDIR/root/usr/local/bin" x 1
}

# an_image PLACE: one by hand, of two layers; the second has a program.
an_image() {
  mkdir -p image lower/var/lib/dpkg/status.d upper/usr/local/bin
  printf 'Package: libc6\nArchitecture: amd64\nVersion: 2.36-9\n' >lower/var/lib/dpkg/status.d/libc6
  cp /bin/true upper/usr/local/bin/twofold
  local layers='' ids='' layer sum
  for layer in lower upper; do
    tar -C "$layer" -cf layer.tar .
    ids="$ids\"sha256:$(sha256sum <layer.tar | cut -c 1-64)\","
    gzip -n layer.tar
    sum=$(sha256sum <layer.tar.gz | cut -c 1-64)
    layers="$layers{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"sha256:$sum\",\"size\":$(stat -c %s layer.tar.gz)},"
    mv layer.tar.gz "image/$sum"
  done
  echo "{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[${ids%,}]}}" >config
  sum=$(sha256sum <config | cut -c 1-64)
  echo "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"config\":{
    \"mediaType\":\"application/vnd.oci.image.config.v1+json\",\"digest\":\"sha256:$sum\",\"size\":$(stat -c %s config)},\"layers\":[${layers%,}]}" >image/manifest.json
  mv config "image/$sum"
  echo 'Directory Transport Version: 1.1' >image/version
  skopeo copy --quiet dir:image "docker://$1"
}

# A registry of its own at a free port, which is in the file $1.
a_registry() {
  local port
  port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  printf '{version: 0.1, storage: {filesystem: {rootdirectory: %s}}, http: {addr: "127.0.0.1:%s"}}' "$PWD/$1.data" "$port" >"$1.yml"
  docker-registry serve "$1.yml" >"$1.log" 2>&1 3>&- &
  echo $! >>pids
  for _ in $(seq 100); do ! curl -fsS --noproxy '*' "http://127.0.0.1:$port/v2/" >/dev/null 2>&1 || break; sleep 0.05; done
  printf '[[registry]]\nlocation = "127.0.0.1:%s"\ninsecure = true\n' "$port" >>.config/containers/registries.conf
  echo "127.0.0.1:$port" >"$1"
}
teardown() { [ ! -e "$BATS_TEST_TMPDIR/pids" ] || xargs kill <"$BATS_TEST_TMPDIR/pids"; }

@test "images go to a mirror as they are, and who has the public key knows that they are ours" {
  for program in skopeo docker-registry gpg gpgv kubectl; do command -v $program >/dev/null || skip "no $program"; done
  cd "$BATS_TEST_TMPDIR"
  export HOME=$PWD GNUPGHOME=$PWD/gnupg
  mkdir -p -m 700 gnupg .config/containers
  echo '{"default": [{"type": "insecureAcceptAnything"}]}' >.config/containers/policy.json
  a_registry one
  a_registry two
  ours=$(cat one)/tester mirror=$(cat two)/copies
  for name in scalability-tester scalability-tester-fio; do an_image "$ours/$name:7.0"; done
  gpg --quiet --batch --passphrase '' --quick-gen-key release@example.com ed25519 sign never
  gpg --export release@example.com >release.gpg
  "$root/dockerfiles/sign-images.sh" --key release@example.com --tag 7.0 "$ours" signed scalability-tester scalability-tester-fio
  [ "$(wc -l <signed/digests)" = 2 ]
  [ "$(jq -c '[.packages[].name], [.files[].fileName]' signed/scalability-tester-fio.spdx.json | tr '\n' ' ')" = \
    '["scalability-tester-fio","libc6"] ["./usr/local/bin/twofold"] ' ]
  "$root/dockerfiles/verify-images.sh" release.gpg signed
  run -1 "$root/dockerfiles/verify-images.sh" release.gpg signed "$mirror"
  "$root/dockerfiles/list-images.sh" --ours --copy-from "$ours" "$mirror" 7.0 | grep -E '^set|tester(-fio)?:7' | sh
  "$root/dockerfiles/verify-images.sh" release.gpg signed "$mirror"
  # The digests are what the manifests take.
  "$root/deployments-config.sh" --dry-run --mirror --digests signed/digests "$mirror" monitoring validation >configured
  grep -F "$mirror/scalability-tester-fio@sha256:" configured
  # All images that the manifests use are in the list, and no other.
  diff <(sed -nE 's|^  (.*)|\1|p' configured | grep -F "$mirror/" | sed 's/@sha256.*//; s/:[0-9.]*$//' | sort -u) \
    <("$root/dockerfiles/list-images.sh" "$mirror" | sed 's/:[0-9.]*$//' | sort -u)
  # What was changed after it was signed, and who else signs, is found out.
  cp -r signed changed
  sed -i 's/2.36/2.37/' changed/scalability-tester.spdx.json
  run -1 "$root/dockerfiles/verify-images.sh" release.gpg changed
  gpg --quiet --batch --passphrase '' --quick-gen-key other@example.com ed25519 sign never
  gpg --export other@example.com >other.gpg
  run -1 "$root/dockerfiles/verify-images.sh" other.gpg signed
  gpgconf --kill all
}
