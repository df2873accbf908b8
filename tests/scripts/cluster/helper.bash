# For bats tests: a copy of the project in $project, and a cluster of local processes behind kubectl.
# shellcheck shell=bash

project_setup() {
  local root
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  project=$BATS_TEST_TMPDIR/project
  mkdir "$project"
  cp -R "$root"/*.sh "$root/scripts" "$root/deployments" "$root/dockerfiles" "$project"
  rm -rf "$project/deployments/configured"
  TWOFOLD_BIN=$(realpath -m "${TWOFOLD_BIN:-$root/build/dev/bin}")
  export TWOFOLD_BIN
}

# few_folders FOLDER...: $project keeps of deployments/ the components and these, each without the autoscaling rules in it:
# deployments-config.sh takes a tenth of a second for a folder, and all of them have a test.
few_folders() {
  local folder
  for folder in "$project"/deployments/*/; do
    folder=$(basename "$folder")
    case " components $* " in *" $folder "*) rm -rf "$project/deployments/$folder"/scaling-* ;; *) rm -r "$project/deployments/$folder" ;; esac
  done
}

cluster_setup() {
  project_setup
  # Shorter jobs, so that a measurement is short.
  sed -i 's/^\( *- \)"0.5"$/\1"0.2"/' "$project/deployments/sleep-queue/sleep-backend.yaml"
  REAL_KUBECTL=$(command -v kubectl) || true
  export REAL_KUBECTL CLUSTER=$BATS_TEST_TMPDIR/cluster PATH="$BATS_TEST_DIRNAME/cluster:$PATH"
  mkdir "$CLUSTER"
  mkfifo "$CLUSTER/begun"
  /usr/bin/python3 "$BATS_TEST_DIRNAME/cluster/server.py" >"$CLUSTER/begun" 3>&- &
  cluster_server=$!
  read -r CLUSTER_PORT <"$CLUSTER/begun"
  export CLUSTER_PORT
}

cluster_teardown() {
  kill "$cluster_server"
  wait "$cluster_server" || true
  /usr/bin/python3 "$BATS_TEST_DIRNAME/cluster/cluster.py"
  if [ -s "$CLUSTER/database" ]; then rm -rf "$(cat "$CLUSTER/database")"; fi
}

# Skips where there is no kubectl that knows kustomize's components (1.21 or later). The first to ask tells the others.
need_kustomize() {
  local works=${TWOFOLD_TREE:-$BATS_RUN_TMPDIR}.kustomize
  [ -e "$works" ] || kubectl kustomize "$project/deployments/namespace" >"$works.new" || skip "needs kubectl"
  [ -e "$works" ] || mv "$works.new" "$works"
}

# On standard input YAML; prints what the Python expression makes of `things`, the list of objects.
of_things() {
  /usr/bin/python3 -c "
import sys, yaml
things = [thing for thing in yaml.load_all(sys.stdin, getattr(yaml, 'CSafeLoader', yaml.SafeLoader)) if thing]
for line in $1: print(line)"
}

# kubectl changes things with these verbs only.
changes() { grep -E '^(-n [a-z0-9-]+ )?(apply|delete|scale) ' "$CLUSTER/calls"; }
