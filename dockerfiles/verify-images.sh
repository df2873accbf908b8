#!/bin/sh
# Checks what sign-images.sh has signed, and that a mirror has these very images.
set -eu

usage() {
  cat <<'END'
Usage: verify-images.sh KEYRING FOLDER [REGISTRY]

Checks with the public keys in KEYRING (gpg --export KEY >KEYRING) the signature in FOLDER and all files that it
stands for. With REGISTRY, a mirror, also that it has each of the signed images, byte by byte of their manifests,
which name all layers by what is in them. Needs gpgv; for a mirror skopeo.

Example:
  dockerfiles/verify-images.sh release.gpg build/signed mirror.example.com:5000/tester

Exit codes: 0 all as signed, 1 not so, 2 wrong usage.
END
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
if [ $# -lt 2 ] || [ $# -gt 3 ] || [ ! -f "$1" ] || [ ! -d "$2" ]; then
  usage >&2
  exit 2
fi
wrong() { echo "verify-images.sh: $*" >&2; exit 1; }

keyring=$(cd "$(dirname "$1")" && pwd)/${1##*/} registry=${3:-}
cd "$2"
gpgv --quiet --keyring "$keyring" SHA256SUMS.asc SHA256SUMS 2>/dev/null || wrong "the signature of $2 is none of these keys"
sha256sum --check --quiet --strict SHA256SUMS || wrong "$2 is not what was signed"
[ -n "$registry" ] || exit 0
while IFS=@ read -r image digest; do
  mirrored=${registry%/}/${image##*/}
  there=$(skopeo inspect --raw "docker://$mirrored@$digest" | sha256sum)
  [ "sha256:${there%% *}" = "$digest" ] || wrong "$mirrored is not there as $digest"
  echo "$mirrored@$digest"
done <digests
