#!/bin/sh
# Makes the archive of `kubectl twofold` and its manifest for krew.
set -eu

usage() {
  cat <<'END'
Usage: make-krew.sh VERSION ADDRESS [FOLDER]

Makes FOLDER/kubectl-twofold-VERSION.tar.gz (FOLDER: build/krew) and FOLDER/twofold.yaml, krew's manifest, by
which the archive is fetched from ADDRESS/kubectl-twofold-VERSION.tar.gz. The same sources make the same archive.

  VERSION  of the release, such as 0.1.0
  ADDRESS  where the archive will be: a URL of a folder; the manifest names it as homepage as well

Example:
  packaging/make-krew.sh 0.1.0 https://downloads.example.com/twofold
  kubectl krew install --manifest build/krew/twofold.yaml --archive build/krew/kubectl-twofold-0.1.0.tar.gz

Exit codes: 0 made, 1 failed, 2 wrong usage.
END
}

refuse() { echo "make-krew.sh: $*" >&2; exit 2; }

case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
[ $# = 2 ] || [ $# = 3 ] || { usage >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
version=$1 address=${2%/} folder=${3:-$root/build/krew}
printf '%s\n' "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?' || refuse "VERSION '$version' is not like 0.1.0"
printf '%s\n' "$address" | grep -qxE 'https?://[^ "]+' || refuse "ADDRESS '$address' is not a URL"

content=$(mktemp -d)
trap 'rm -rf "$content"' EXIT
mkdir -p "$folder"
cp "$root/kubernetes/plugin/kubectl-twofold" "$root/kubernetes/plugin/kubectl_complete-twofold" "$content"
cp "$root/packaging/debian/copyright" "$content/LICENSE"
chmod 755 "$content"/kubectl*
chmod 644 "$content/LICENSE"
archive=kubectl-twofold-$version.tar.gz
tar -C "$content" --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner -cf - . | gzip -n9 >"$folder/$archive"
sum=$(sha256sum "$folder/$archive")
cat >"$folder/twofold.yaml" <<END
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: twofold
spec:
  version: v$version
  homepage: $address
  shortDescription: Run benchmarks, and see their results, queues and workers
  description: |
    Finds the frontend of Twofold in the cluster, forwards a port to it, and runs the program twofold
    there: the state of Benchmarks, what they have measured, comparisons, reports, logs, queues, workers,
    loads and validations of scaling.
  caveats: |
    Needs the program twofold on the PATH, or in the folder that TWOFOLD_BIN names.
    For completion link kubectl_complete-twofold, which is beside the plugin, into a folder of the PATH.
  platforms:
    - selector:
        matchExpressions:
          - {key: os, operator: In, values: [linux, darwin]}
      uri: $address/$archive
      sha256: ${sum%% *}
      files:
        - {from: kubectl-twofold, to: .}
        - {from: kubectl_complete-twofold, to: .}
        - {from: LICENSE, to: .}
      bin: kubectl-twofold
END
echo "$folder/twofold.yaml"
