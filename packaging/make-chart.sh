#!/bin/sh
# Makes the Helm chart of deployments/ and of what only Helm needs, charts/twofold.
set -eu

usage() {
  cat <<'END'
Usage: make-chart.sh [FOLDER]

Makes the Helm chart FOLDER/twofold (build/chart/twofold): the manifests of deployments/ as templates, and
charts/twofold beside them. A queue of yours (deployments-queue.sh) is in it, too. Needs kubectl and Debian's
python3-yaml; no cluster, and no helm.

Example:
  packaging/make-chart.sh
  helm install twofold build/chart/twofold --namespace monitoring --create-namespace
  helm package build/chart/twofold && helm push twofold-*.tgz oci://registry.example.com/charts

Exit codes: 0 made, 1 failed (the last lines say why), 2 wrong usage, or a program is not there.
END
}

refuse() { echo "make-chart.sh: $*" >&2; exit 2; }

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd -P)
out=${1:-$root/build/chart}
command -v kubectl >/dev/null || refuse "kubectl is not there"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || refuse "python3-yaml is not there: apt-get install python3-yaml"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What can be configured has names that nothing else has; templates have values in their place.
"$root/deployments-config.sh" --component --pull-secret chart-pull-secret --output "$work/configured" \
  registry.invalid chart-frontend chart-clients >"$work/log" || { cat "$work/log" >&2; exit 1; }

chart=$work/twofold
cp -R "$root/charts/twofold" "$chart"
version=$(sed -n 's/^project(twofold VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
sed "s/@version@/$version/" "$chart/Chart.yaml.in" >"$chart/Chart.yaml"
rm "$chart/Chart.yaml.in"
mkdir "$chart/files"
cp "$root/grafana/dashboard.json" "$root/grafana/alerts.yaml" "$chart/files"
cp "$root/charts/README.md" "$chart"
/usr/bin/python3 "$root/packaging/chart-templates.py" "$root/deployments" "$work/configured/component" "$chart/templates" || exit 1
if left=$(grep -rnE 'registry\.invalid|chart-(frontend|clients|pull-secret)' "$chart"); then
  echo "make-chart.sh: no value of the chart is in its place: $left" >&2
  exit 1
fi

mkdir -p "$out"
rm -rf "$out/twofold"
mv "$chart" "$out/twofold"
echo "Made: $out/twofold"
