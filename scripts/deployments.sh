# What the deployments-*.sh scripts share; sourced by them.
# Exit codes: 200 wrong arguments, nothing was touched; 201 it went wrong on the way.
# shellcheck shell=sh

me=${0##*/}
# shellcheck disable=SC2034  # for the scripts
root=$(cd "$(dirname "$0")" && pwd -P) || exit 201
new=

say() { printf '%s\n' "$*" >&2; }
refuse() { say "$me: $* (see --help)"; exit 200; }
die() { say "$me: $*"; exit 201; }

# need_value OPTION [VALUE]...
need_value() { [ $# -gt 1 ] || refuse "$1 needs a value"; }

# Makes the folder $work. However the script ends, it is gone then, and $new, if that is there still.
work_folder() {
  work=$(mktemp -d) || die "no temporary folder"
  # shellcheck disable=SC2154  # code is set there
  trap 'code=$?; rm -rf "$work" "${new:-$work}"; exit "$code"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# path_from FOLDER TARGET: TARGET relative to FOLDER, as kustomize wants it. Both are absolute.
path_from() {
  from=$1 up=
  until [ "${2#"$from"/}" != "$2" ]; do from=${from%/*} up=../$up; done
  echo "$up${2#"$from"/}"
}

# matches TEXT PATTERN: the whole of TEXT is PATTERN (an extended regular expression).
matches() { text=$1 pattern="^($2)\$" awk 'BEGIN { exit ENVIRON["text"] !~ ENVIRON["pattern"] }'; }
shorter() { [ "${#1}" -le "$2" ]; }

is_namespace() { shorter "$1" 63 && matches "$1" '[a-z0-9]([a-z0-9-]*[a-z0-9])?'; }
# The rule of the frontend (lib/common/options.h).
is_queue() { shorter "$1" 63 && matches "$1" '[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?'; }
# HOST[:PORT][/PATH]...
is_registry() { shorter "$1" 200 && matches "$1" '[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*'; }

is_whole() { shorter "$1" 6 && matches "$1" '[1-9][0-9]*'; }

need_kubectl() { command -v kubectl >/dev/null || refuse "kubectl is not there"; }

# objects FILE: "APIVERSION KIND NAMESPACE NAME", a line for each object, with - for no namespace. Takes
# the output of `kubectl kustomize`, and files written like those of deployments/.
objects() {
  awk '
    function end_object() { if (kind != "") print version, kind, namespace, name; kind = ""; namespace = "-" }
    function text(value) { gsub(/"/, "", value); return value }
    BEGIN { namespace = "-" }
    /^apiVersion:/ { end_object(); version = $2 }
    /^[a-z]/ { part = $1 }
    /^kind:/ { kind = $2 }
    part == "metadata:" && /^  name:/ { name = text($2) }
    part == "metadata:" && /^  namespace:/ { namespace = text($2) }
    END { end_object() }' "$1"
}
