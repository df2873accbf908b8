#!/bin/sh
# Writes kustomize overlays of deployments/ for a registry and two namespaces. Needs sh and kubectl.
set -u
# shellcheck source=scripts/deployments.sh
. "$(dirname "$0")/scripts/deployments.sh"

usage() {
  cat <<'USAGE'
Usage: deployments-config.sh [OPTION]... REGISTRY MONITORING_NAMESPACE VALIDATION_NAMESPACE

Writes a kustomize overlay of each folder in deployments/, with REGISTRY in front of the images and
with these namespaces instead of monitoring and validation. Tracked files stay as they are. Prints
the resulting images and namespaces. Run it again after adding a queue. The address of Prometheus
(scaling-keda-prometheus) stays as it is: set it yourself.

  REGISTRY               HOST[:PORT][/PATH], or - for none (the nodes have the images)
  MONITORING_NAMESPACE   for the frontend and the workers
  VALIDATION_NAMESPACE   for the load clients; may be the same one

Options:
  --store           the frontend keeps durable jobs and results on a volume: needed for benchmarks
  --metrics-api     the frontend answers the API server, for HPAs (deployments/QUEUE-queue/scaling-own)
  --deletion-cost   a Deployment that shrinks takes idle workers first (docs/scaling-workers.md)
  --pull-secret NAME  all pods pull their images with this Secret; it has to be in both namespaces
  --mirror          images of others, too, come from REGISTRY (dockerfiles/list-images.sh lists them)
  --digests FILE    pods run these very images, whatever their tags come to mean: a line each,
                    [REGISTRY/]IMAGE@sha256:HEX, as `podman images --digests` or a push shows it
  --component       write the component with all of these changes and no overlays: for overlays of your own, which name it
                    after their resources
  --output FOLDER   where to write (deployments/configured, where deployments-apply.sh looks)
  --dry-run         write nothing, print the images and namespaces

Examples:
  deployments-config.sh registry.example.com/tester monitoring validation
  deployments-config.sh --store localhost:5000 twofold twofold-clients
  kubectl apply -k deployments/configured/sleep-queue      # one folder, by hand

Exit codes: 0 written; 200 wrong arguments, nothing was touched; 201 kustomize fails, or a folder
would still name an old namespace: earlier output stays.
USAGE
}

# The folders of deployments/ that kustomize takes, without components, which overlays name by
# themselves. (What this script makes there is spelled otherwise.)
folders() {
  (cd "$root/deployments" && find . -name Kustomization ! -exec grep -q '^kind: Component' {} \; -print) | sed 's|^\./||; s|/Kustomization$||' | sort
}

# What becomes of the validation Namespace: renamed, or gone where both are the same one.
patch_of_validation() {
  if [ "$monitoring" = "$validation" ]; then
    # shellcheck disable=SC2016  # the dollar is for kustomize
    echo '{$patch: delete, apiVersion: v1, kind: Namespace, metadata: {name: validation}}'
  else
    echo "- {op: replace, path: /metadata/name, value: \"$validation\"}"
  fi
}

# Of an image, as --digests has it; empty: it is named by its tag.
digest_of() { # digest_of IMAGE
  [ -z "$digests" ] || sed -n "s|^\\(.*/\\)\\{0,1\\}$1@||p" "$digests"
}

# Each image of ours has a Dockerfile; $1 goes in front.
images() {
  [ -z "$mirror" ] || "$root/dockerfiles/list-images.sh" --others | while read -r image; do
    image=${image##*/}
    echo "  - {name: ${image%%:*}, newName: $1${image%%:*}}"
  done
  for file in "$root"/dockerfiles/*.docker; do
    image=$(basename "$file" .docker) digest=$(digest_of "$(basename "$file" .docker)")
    echo "  - {name: $image, newName: $1$image${digest:+, digest: $digest}}"
  done
}

# A line that is misspelled would leave its image to the tag.
check_digests() {
  [ -r "$digests" ] || refuse "--digests: cannot read $digests"
  while IFS= read -r line || [ -n "$line" ]; do
    image=${line%@*} image=${image##*/}
    echo "$line" | grep -qxE '[^ @]+@sha256:[0-9a-f]{64}' || refuse "--digests: '$line' is not [REGISTRY/]IMAGE@sha256:HEX"
    [ -e "$root/dockerfiles/$image.docker" ] || refuse "--digests: there is no image $image"
  done <"$digests"
}

# What pods of all kinds pull their images with; nothing without --pull-secret.
patches_of_pull_secret() {
  [ -n "$pull_secret" ] || return 0
  for kind in Deployment:/spec/template StatefulSet:/spec/template WorkerPool:/spec/template Job:/spec/template CronJob:/spec/jobTemplate/spec/template; do
    echo "  - target: {kind: ${kind%%:*}}"
    echo "    patch: |-"
    echo "      - {op: add, path: ${kind#*:}/spec/imagePullSecrets, value: [{name: \"$pull_secret\"}]}"
  done
}

# All changes, for any folder; what a folder does not have is passed over. Kustomize's own
# `namespace:` would put everything into one. Names for the replacements come from an object that is
# not part of the result.
write_component() {
  if [ "$registry" = - ]; then prefix=; else prefix=$registry/; fi
  cat >"$1/names.yaml" <<NAMES
apiVersion: v1
kind: ConfigMap
metadata:
  name: configured-names
  annotations: {config.kubernetes.io/local-config: "true"}
data:
  monitoring: "$monitoring"
  frontend: "--frontend=scalability-tester-frontend.$monitoring:9997"
  workers: "--frontend=scalability-tester-frontend.$monitoring:9999"
  benchmarks: "--namespace=$validation"
NAMES
  # Workers for benchmarks have the image's name in a variable, too.
  cat >"$1/images.yaml" <<'IMAGES'
images:
  - {path: "spec/template/spec/containers[]/env[]/value"}
IMAGES
  cat >"$1/kustomization.yaml" <<COMPONENT
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources: [names.yaml]
configurations: [images.yaml]
images:
$(images "$prefix")
patches:
  - target: {namespace: monitoring}
    patch: |-
      - {op: replace, path: /metadata/namespace, value: "$monitoring"}
  - target: {namespace: validation}
    patch: |-
      - {op: replace, path: /metadata/namespace, value: "$validation"}
  - target: {kind: NetworkPolicy, name: scalability-tester-frontend}
    patch: |-
      - {op: replace, path: /spec/ingress/1/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name, value: "$validation"}
  - target: {kind: NetworkPolicy, name: scalability-tester-own-workers-to-frontend}
    patch: |-
      - {op: replace, path: /spec/ingress/0/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name, value: "$validation"}
  - target: {kind: NetworkPolicy, name: scalability-tester-clients}
    patch: |-
      - {op: replace, path: /spec/egress/1/to/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name, value: "$monitoring"}
  - target: {kind: ScaledObject, labelSelector: app.kubernetes.io/component=scaler}
    patch: |-
      - {op: replace, path: /spec/triggers/0/metadata/scalerAddress, value: "scalability-tester-frontend.$monitoring:9994"}
  - target: {kind: RoleBinding, name: "scalability-tester-(validator.*|lifecycle-test)"}
    patch: |-
      - {op: replace, path: /subjects/0/namespace, value: "$validation"}
  - target: {kind: APIService}
    patch: |-
      - {op: replace, path: /spec/service/namespace, value: "$monitoring"}
  - target: {kind: Certificate, name: scalability-tester-frontend}
    patch: |-
      - {op: replace, path: /spec/dnsNames/1, value: "*.scalability-tester-frontend-nodes.$monitoring"}
      - {op: replace, path: /spec/dnsNames/2, value: "scalability-tester-frontend.$monitoring"}
  - target: {kind: Namespace, name: monitoring}
    options: {allowNameChange: true}
    patch: |-
      - {op: replace, path: /metadata/name, value: "$monitoring"}
  - target: {kind: Namespace, name: validation}
    options: {allowNameChange: true}
    patch: |-
      $(patch_of_validation)
$(patches_of_pull_secret)
replacements:
  - source: {kind: ConfigMap, name: configured-names, fieldPath: data.monitoring}
    targets:
      - select: {kind: RoleBinding}
        reject: [{name: scalability-tester-validator}, {name: scalability-tester-validator-clients}, {name: scalability-tester-lifecycle-test}]
        fieldPaths: ["subjects.[namespace=monitoring].namespace"]
      - select: {kind: ClusterRoleBinding}
        fieldPaths: ["subjects.[namespace=monitoring].namespace"]
  - source: {kind: ConfigMap, name: configured-names, fieldPath: data.frontend}
    targets:
      - select: {kind: Deployment, labelSelector: app.kubernetes.io/component=client}
        fieldPaths:
          - 'spec.template.spec.containers.[name=client].args.[=--frontend=scalability-tester-frontend\.monitoring:9997]'
  - source: {kind: ConfigMap, name: configured-names, fieldPath: data.workers}
    targets:
      - select: {kind: WorkerPool, labelSelector: twofold.dev/workers-for=perftest}
        fieldPaths:
          - 'spec.template.spec.containers.[name=backend].args.[=--frontend=scalability-tester-frontend\.monitoring:9999]'
  - source: {kind: ConfigMap, name: configured-names, fieldPath: data.benchmarks}
    targets:
      - select: {kind: Deployment, name: scalability-tester-operator}
        fieldPaths: ['spec.template.spec.containers.[name=operator].args.[=--namespace=validation]']
COMPONENT
}

write_overlay() { # write_overlay FOLDER
  components=$(path_from "$new/$1" "$new/component")
  if [ -n "$store" ] && [ "$1" = frontend ]; then
    components="$(path_from "$new/$1" "$root/deployments/frontend/store"), $components"
  fi
  case $1 in
    frontend | frontend/service | cluster)
      for addition in $additions; do components="$(path_from "$new/$1" "$root/deployments/frontend/$addition"), $components"; done ;;
  esac
  mkdir -p "$new/$1" || die "cannot write $new/$1"
  cat >"$new/$1/kustomization.yaml" <<OVERLAY
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [$(path_from "$new/$1" "$root/deployments/$1")]
components: [$components]
OVERLAY
}

# An object, or an address of one, that a folder should not name any more, wherever it stands.
check_names() { # check_names FOLDER FILE
  for pair in "monitoring $monitoring" "validation $validation"; do
    old=${pair% *}
    [ "$old" != "${pair#* }" ] || continue
    left=$(grep -nE "scalability-tester-[a-z-]+[.]$old([.:]|\$)|(amespace=|amespace: |metadata[.]name: )\"?$old\"?\$|^ +- \"?$old\"?\$" "$2") || continue
    die "$1 would still name the namespace $old: $left"
  done
}

render() { # render FOLDER
  file=$work/$(echo "$1" | tr / +).yaml
  kubectl kustomize "$new/$1" >"$file" || die "kustomize does not take $1"
  check_names "$1" "$file"
}

report() {
  echo "Images:"
  sed -n 's/^ *-* *image: */  /p' "$work"/*.yaml | sort -u
  echo "Namespaces:"
  for file in "$work"/*.yaml; do objects "$file"; done |
    awk '$3 != "-" { n[$3]++ } END { for (name in n) print "  " name ": " n[name] " objects" }' | sort
}

output=$root/deployments/configured dry_run='' store='' additions='' mirror='' component='' pull_secret='' digests=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --output) need_value "$@"; output=$2; shift ;;
    --dry-run) dry_run=1 ;;
    --store) store=1 ;;
    --metrics-api | --deletion-cost) additions="$additions ${1#--}" ;;
    --mirror) mirror=1 ;;
    --component) component=1 ;;
    --pull-secret) need_value "$@"; pull_secret=$2; shift ;;
    --digests) need_value "$@"; digests=$2; shift ;;
    -?*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
[ $# = 3 ] || refuse "3 arguments are needed, not $#"
registry=$1 monitoring=$2 validation=$3
[ "$registry" = - ] || is_registry "$registry" || refuse "'$registry' is not a registry: HOST[:PORT][/PATH] in lower case, or -"
for name in "$monitoring" "$validation"; do is_namespace "$name" || refuse "'$name' is not a namespace"; done
# The name of a Secret in lower case, as most are: letters, digits and '-', as that of a namespace.
[ -z "$pull_secret" ] || is_namespace "$pull_secret" || refuse "'$pull_secret' is not the name of a Secret"
[ -z "$digests" ] || check_digests
[ -z "$component" ] || [ -z "$store$additions" ] || refuse "--component: name the components of --store, --metrics-api and --deletion-cost in your overlay"
[ -z "$mirror" ] || [ "$registry" != - ] || refuse "--mirror needs a REGISTRY"
# Kustomize finds an object by its earlier name too, so it cannot tell the two then.
case $monitoring/$validation in
  "$validation/$monitoring") ;;
  validation/* | */monitoring) refuse "the namespaces cannot take each other's name: $monitoring, $validation" ;;
esac
parent=$(cd "$(dirname "$output")" 2>/dev/null && pwd -P) || refuse "no folder $(dirname "$output")"
output=$parent/$(basename "$output")
[ ! -e "$output" ] || [ -e "$output/component/names.yaml" ] || refuse "$output is there, and is not from this script"
need_kubectl

work_folder
# Beside the output, as the paths in it are relative; takes its place when all is well.
if [ -n "$dry_run" ]; then new=$work/overlays; else new=$output.new; fi
if [ -n "$component" ]; then folders=; else folders=$(folders); fi
rm -rf "$new"
mkdir -p "$new/component" || die "cannot write $new"
write_component "$new/component"
for folder in $folders; do write_overlay "$folder"; done
for folder in $folders; do render "$folder"; done
[ -n "$component" ] || report
[ -z "$dry_run" ] || exit 0
rm -rf "$output"
mv "$new" "$output" || die "cannot write $output"
echo "Written: $output"
