#!/bin/sh
# What is inside the root of an image, as SPDX 2.3: Debian's packages, and the files that are of no package.
set -eu

usage() {
  cat <<'END'
Usage: make-sbom.sh FOLDER NAME VERSION >NAME.spdx.json

FOLDER is the root of an image. Its packages are those of /var/lib/dpkg/status and, in an image without dpkg, of
/var/lib/dpkg/status.d; what lies below /usr/local is listed file by file with its sums. Whatever else came there
without a package is not seen. The same root makes the same text; SOURCE_DATE_EPOCH is its time.

Exit codes: 0 done, 1 there are neither packages nor files, 2 wrong usage.
END
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
if [ $# != 3 ] || [ ! -d "$1" ]; then
  usage >&2
  exit 2
fi
root=$(cd "$1" && pwd) name=$2 version=$3
for word in "$name" "$version"; do
  case $word in '' | *[!A-Za-z0-9.+~:/@_-]*) echo "make-sbom.sh: '$word' is no name or version" >&2; exit 2 ;; esac
done

# A line for each package: name, version, architecture, source.
packages() {
  cat "$root/var/lib/dpkg/status" "$root"/var/lib/dpkg/status.d/* 2>/dev/null | awk '
    function end_package() {
      if (name != "" && status !~ /deinstall|config-files|half-|unpacked/) print name, version, architecture, (source ? source : name)
      name = version = architecture = source = status = ""
    }
    /^Package: / { end_package(); name = $2 }
    /^Status: / { status = $0 }
    /^Version: / { version = $2 }
    /^Architecture: / { architecture = $2 }
    /^Source: / { source = $2 }
    END { end_package() }' | sort -u
}
# A line for each file: SHA-1, which SPDX asks for, SHA-256, path.
files() {
  [ ! -d "$root/usr/local" ] || (cd "$root" && find usr/local -type f | LC_ALL=C sort) | while IFS= read -r file; do
    one=$(sha1sum <"$root/$file") two=$(sha256sum <"$root/$file")
    echo "${one%% *} ${two%% *} $file"
  done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages >"$work/packages"
files >"$work/files"
[ -s "$work/packages" ] || [ -s "$work/files" ] || { echo "make-sbom.sh: $root has neither packages nor files of ours" >&2; exit 1; }
# Of this content alone, as the format wants it unique; written as a UUID of one's own making (version 8).
id=$({ echo "$name $version"; cat "$work/packages" "$work/files"; } | sha256sum |
  sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-8\3-8\4-\5/')
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)

awk -v name="$name" -v version="$version" -v id="$id" -v created="$created" '
  function text(value) { gsub(/[\\"]/, "\\\\&", value); return "\"" value "\"" }
  # In the address of a package
  function escaped(value) { gsub(/%/, "%25", value); gsub(/\+/, "%2B", value); gsub(/:/, "%3A", value); return value }
  function unknown() { return "\"licenseConcluded\": \"NOASSERTION\", \"copyrightText\": \"NOASSERTION\"" }
  function package(spdx, name, version, more) {
    return "{\"SPDXID\": \"" spdx "\", \"name\": " text(name) ", \"versionInfo\": " text(version) ", \"downloadLocation\": \"NOASSERTION\"," \
      " \"filesAnalyzed\": false, \"licenseDeclared\": \"NOASSERTION\", " unknown() more "}"
  }
  function relation(of, type, to) {
    return "\n    {\"spdxElementId\": \"" of "\", \"relationshipType\": \"" type "\", \"relatedSpdxElement\": \"" to "\"}"
  }
  function contains(spdx) { relations = relations "," relation("SPDXRef-Image", "CONTAINS", spdx) }
  FILENAME ~ /packages$/ {
    spdx = "SPDXRef-Package-" ++count
    purl = "pkg:deb/debian/" escaped($1) "@" escaped($2) "?arch=" $3
    packages = packages ",\n    " package(spdx, $1, $2, ", \"sourceInfo\": " text("source package " $4) ", \"externalRefs\": [" \
      "{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", \"referenceLocator\": " text(purl) "}]")
    contains(spdx)
  }
  FILENAME ~ /files$/ {
    spdx = "SPDXRef-File-" ++count
    path = substr($0, length($1) + length($2) + 3)
    files = files (files == "" ? "" : ",") "\n    {\"SPDXID\": \"" spdx "\", \"fileName\": " text("./" path) ", \"checksums\": [" \
      "{\"algorithm\": \"SHA1\", \"checksumValue\": \"" $1 "\"}, {\"algorithm\": \"SHA256\", \"checksumValue\": \"" $2 "\"}], " unknown() "}"
    contains(spdx)
  }
  END {
    print "{\n  \"spdxVersion\": \"SPDX-2.3\",\n  \"dataLicense\": \"CC0-1.0\",\n  \"SPDXID\": \"SPDXRef-DOCUMENT\","
    print "  \"name\": " text(name "-" version) ",\n  \"documentNamespace\": \"urn:uuid:" id "\","
    print "  \"creationInfo\": {\"created\": \"" created "\", \"creators\": [\"Tool: twofold-make-sbom\"]},"
    print "  \"packages\": [\n    " package("SPDXRef-Image", name, version, ", \"primaryPackagePurpose\": \"CONTAINER\"") packages "\n  ],"
    print "  \"files\": [" files "\n  ],\n  \"relationships\": ["
    print substr(relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Image"), 2) relations "\n  ]\n}"
  }' "$work/packages" "$work/files"
