#!/bin/sh
# Signs what images of a registry are: their digests, and what is inside each.
set -eu

usage() {
  cat <<'END'
Usage: sign-images.sh --key KEY [--tag TAG] REGISTRY FOLDER [IMAGE]...

Writes for each IMAGE at REGISTRY (all of ours that the manifests use) into FOLDER:
  digests            a line each, REGISTRY/IMAGE@sha256:..., as `deployments-config.sh --digests` takes it
  IMAGE.spdx.json    what is inside (dockerfiles/make-sbom.sh)
  SHA256SUMS         of these files, and SHA256SUMS.asc, its signature with the key KEY of gpg
Who has the public key checks them with dockerfiles/verify-images.sh. A signed digest holds at every mirror.

Needs skopeo, gpg and jq; no container engine. --tag is that of the images, else that of the manifests.

Example:
  dockerfiles/sign-images.sh --key release@example.com registry.example.com/tester build/signed

Exit codes: 0 done, 1 failed: FOLDER has no signature then, 2 wrong usage.
END
}

refuse() { echo "sign-images.sh: $* (--help)" >&2; exit 2; }

here=$(cd "$(dirname "$0")" && pwd)
key='' tag=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --key) [ $# -gt 1 ] || refuse "--key needs a value"; key=$2; shift ;;
    --tag) [ $# -gt 1 ] || refuse "--tag needs a value"; tag=$2; shift ;;
    -*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
[ $# -ge 2 ] || refuse "REGISTRY and FOLDER are needed"
[ -n "$key" ] || refuse "--key is needed"
for program in skopeo gpg jq; do command -v "$program" >/dev/null || refuse "$program is not there: apt-get install $program"; done
registry=${1%/} folder=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
rm -f "$folder/SHA256SUMS" "$folder/SHA256SUMS.asc"

# unpack REFERENCE: what make-sbom.sh reads of an image, in $work/root. Later layers lie over earlier ones.
unpack() {
  rm -rf "$work/image" "$work/root"
  skopeo copy --quiet "docker://$1" "dir:$work/image"
  mkdir "$work/root"
  jq -r '.layers[].digest' "$work/image/manifest.json" >"$work/layers"
  while IFS=: read -r _ hex; do
    tar -C "$work/root" --no-same-owner --wildcards -xf "$work/image/$hex" \
      'var/lib/dpkg/*' 'usr/local/*' './var/lib/dpkg/*' './usr/local/*' 2>"$work/tar" || grep -q 'Not found in archive' "$work/tar"
  done <"$work/layers"
}

"$here/list-images.sh" --ours "$registry" ${tag:+"$tag"} >"$work/images"
: >"$work/digests"
while read -r image; do
  name=${image##*/} version=${image##*:}
  name=${name%%:*}
  case " $* " in *" $name "* | '  ') ;; *) continue ;; esac
  digest=$(skopeo inspect --format '{{.Digest}}' "docker://$image")
  unpack "${image%:*}@$digest"
  "$here/make-sbom.sh" "$work/root" "$name" "$version" >"$folder/$name.spdx.json"
  echo "${image%:*}@$digest" | tee -a "$work/digests"
done <"$work/images"
for name; do grep -qF "/$name@" "$work/digests" || refuse "there is no image $name of ours"; done
cp "$work/digests" "$folder/digests"
cd "$folder"
# shellcheck disable=SC2046  # names without blanks
sha256sum digests $(sed -n 's|.*/\(.*\)@.*|\1.spdx.json|p' digests) >SHA256SUMS
gpg --batch --yes --local-user "$key" --armor --detach-sign SHA256SUMS
