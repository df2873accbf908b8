#!/bin/sh
# Lists the images that the manifests use, ours and those of others, for mirrors.
set -eu

usage() {
  cat <<'END'
Usage: list-images.sh [OPTION]... [REGISTRY [TAG]]

Prints a line for each image that deployments/ uses: as the manifests name it, or, with REGISTRY (HOST[:PORT][/PATH]),
as `deployments-config.sh --mirror REGISTRY ...` names it. TAG is of ours, else that of the manifests.

  --ours, --others    only those with a Dockerfile here; only those of other projects
  --base              only what the Dockerfiles are built on
  --copy-from SOURCE  prints a script instead, which copies each by skopeo to REGISTRY, ours from the registry SOURCE,
                      those of others from where they are; digests stay the same

Examples:
  dockerfiles/list-images.sh
  dockerfiles/list-images.sh --copy-from registry.example.com/tester mirror.example.com:5000/tester | sh

Exit codes: 0 done, 2 wrong usage.
END
}

refuse() { echo "list-images.sh: $* (--help)" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
which=all source=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --ours | --others | --base) which=${1#--} ;;
    --copy-from) [ $# -gt 1 ] || refuse "--copy-from needs a registry"; source=${2%/}; shift ;;
    -*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
[ $# -le 2 ] || refuse "at most REGISTRY and TAG, not $#"
[ -z "$source" ] || [ $# -gt 0 ] || refuse "--copy-from needs a REGISTRY to copy to"
registry=${1:-} tag=${2:-}
registry=${registry%/}

# As they stand in the manifests; a definition of objects has fields of that name, with no value beside.
named() {
  find "$root/deployments" -name configured -prune -o \( -name '*.yaml' -o -name Kustomization \) -exec cat {} + |
    sed -nE 's/^ *(- )?image(Name)?: *"?([a-z0-9][^ "]*)"?( *#.*)?$/\3/p' | sort -u
}
is_ours() { [ -e "$root/dockerfiles/${1%%[:@]*}.docker" ]; }

# What a name without a registry means to container engines.
with_registry() {
  case $1 in
    *.*/* | *:*/* | localhost/*) echo "$1" ;;
    */*) echo "docker.io/$1" ;;
    *) echo "docker.io/library/$1" ;;
  esac
}
# At REGISTRY there are no folders of other registries: name and tag stay.
at_registry() { echo "${registry:+$registry/}${1##*/}"; }

# mirrored FROM IMAGE
mirrored() {
  if [ -z "$source" ]; then
    at_registry "$2"
  else
    echo "skopeo copy --all --preserve-digests docker://$1 docker://$(at_registry "$2")"
  fi
}

[ -z "$source" ] || echo 'set -e'
if [ "$which" = base ]; then
  sed -n 's/^ARG BASE=//p' "$root"/dockerfiles/*.docker
else
  named
fi | sort -u | while read -r image; do
  if [ "$which" != base ] && is_ours "$image"; then
    [ "$which" != others ] || continue
    [ -z "$tag" ] || image=${image%%[:@]*}:$tag
    mirrored "$source/$image" "$image"
  elif [ "$which" != ours ]; then
    if [ -z "$source$registry" ]; then with_registry "$image"; else mirrored "$(with_registry "$image")" "$image"; fi
  fi
done
