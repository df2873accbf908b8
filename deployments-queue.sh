#!/bin/sh
# Makes the folder of a new queue from that of another queue. Needs sh and sed.
set -u
# shellcheck source=scripts/deployments.sh
. "$(dirname "$0")/scripts/deployments.sh"

usage() {
  cat <<'USAGE'
Usage: deployments-queue.sh [OPTION]... OLD NEW

Makes deployments/NEW-queue from deployments/OLD-queue, with everything in it renamed, and adds the
queue NEW to the arguments of the frontend (deployments/frontend/frontend.yaml). Its workers run
what those of OLD run until you edit NEW-queue/NEW-backend.yaml.

A queue has any name that the frontend takes: 1 to 63 letters, digits, '-', '_' or '.', beginning and
ending with a letter or digit. In names of objects capitals become small, '_' and '.' become '-', and a
name too long for Kubernetes is cut and ends with a checksum.

Options:
  --dry-run   show what would be made

Examples:
  deployments-queue.sh sleep nap
  deployments-queue.sh cpu-media 10bit-4k-av1-to-fullhd-hevc

Exit codes: 0 made; 200 wrong names, NEW exists, or OLD does not: nothing was touched; 201 cannot
write the files.
USAGE
}

# short NAME LENGTH: a name for objects, at most so long.
short() {
  lower=$(printf %s "$1" | tr 'A-Z_.' 'a-z--')
  if shorter "$lower" "$2"; then
    echo "$lower"
  else
    sum=$(printf %s "$1" | cksum | cut -d ' ' -f 1)
    echo "$(printf %s "$lower" | cut -c "1-$(($2 - 1 - ${#sum}))")-$sum"
  fi
}
# What fits after scalability-tester-backend- in the 63 letters of a name, and after
# scalability-tester-cronjob- in the 52 of a CronJob, to which Kubernetes adds the time.
object() { short "$1" 36; }
cronjob() { short "$1" 25; }

# As a value in YAML: in quotes if it could be taken for a number or a truth value.
scalar() {
  if matches "$1" '[0-9].*|[tT]rue|TRUE|[fF]alse|FALSE|[nN]ull|NULL|[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF'; then
    echo "\"$1\""
  else
    echo "$1"
  fi
}

# Where the name of a queue stands in a manifest, as a program for sed. The name of a program that
# the workers run is none of these places (`- sleep`).
renaming() {
  name=$(echo "$old" | sed 's/[.]/[.]/g')
  cat <<SED
s/(scalability-tester-cronjob-)$(cronjob "$old")\$/\1$(cronjob "$new")/
s/(scalability-tester-(backend|client)-)$(object "$old")(\$|[^a-z0-9])/\1$(object "$new")\3/g
s/(instance: )$(object "$old")-cronjob\$/\1$(object "$new")-cronjob/
s/((instance|queue): )"?$name"?\$/\1$(scalar "$new")/
s/(queue(=|%3D| )[\\\\"]*)$name(\$|[^A-Za-z0-9._-])/\1$new\3/g
s/(^|[^A-Za-z0-9._-])$name(-[a-z-]+[.]yaml|-queue)/\1$new\2/g
s/\`$name\`/\`$new\`/g
SED
}

# The frontend's arguments with the new queue after the old one.
with_queue() {
  OLD=$old NEW=$(scalar "$new") awk '
    { print; text = $0; gsub(/"/, "", text) }
    !done && text ~ /^ *- / && $1 == "-" && NF == 2 && substr(text, index(text, "-") + 2) == ENVIRON["OLD"] {
      sub(/-.*/, "- " ENVIRON["NEW"])
      print
      done = 1
    }' "$frontend"
}
has_queue() { grep -qE "^ *- \"?$(echo "$1" | sed 's/[.]/[.]/g')\"?\$" "$frontend"; }

# Names of the objects in a folder.
names() { find "$1" -name '*.yaml' -exec cat {} + | objects - | awk '{ print $2, $4 }' | sort -u; }

copy() {
  cp -R "$from" "$work/new" || die "cannot copy $from"
  renaming >"$work/renaming"
  find "$work/new" -type f >"$work/files"
  while read -r file; do
    sed -E -f "$work/renaming" "$file" >"$work/renamed" || die "cannot rename in $file"
    cat "$work/renamed" >"$file"
    name=$(basename "$file")
    case $name in "$old"-*) mv "$file" "$(dirname "$file")/$new-${name#"$old"-}" ;; esac
  done <"$work/files"
}

report() {
  echo "Folder: $to"
  names "$work/new" >"$work/names"
  names "$from" >"$work/old_names"
  comm -23 "$work/names" "$work/old_names" | sed 's/^/  /'
  comm -12 "$work/names" "$work/old_names" | sed "s/^/  shared with $old: /"
}

dry_run=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --dry-run) dry_run=1 ;;
    -*) refuse "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
[ $# = 2 ] || refuse "2 arguments are needed, not $#"
old=$1 new=$2
for queue; do is_queue "$queue" || refuse "'$queue' is not a queue name"; done
case $new in *-cronjob) refuse "'$new': names ending in -cronjob are for the workers of CronJobs" ;; esac
from=$root/deployments/$old-queue to=$root/deployments/$new-queue
frontend=$root/deployments/frontend/frontend.yaml
[ -d "$from" ] || refuse "there is no $from"
[ ! -e "$to" ] || refuse "$to is there already"
named=$(object "$new")
for folder in "$root"/deployments/*-queue; do
  queue=$(basename "$folder" -queue)
  [ "$(object "$queue")" != "$named" ] || refuse "objects of '$new' would have the names of those of '$queue'"
done
has_queue "$old" || refuse "the queue $old is not in $frontend"

work_folder
copy
report
has_queue "$new" || echo "Queue added: $frontend"
[ -z "$dry_run" ] || exit 0
mv "$work/new" "$to" || die "cannot write $to"
if ! has_queue "$new"; then
  with_queue >"$work/frontend.yaml"
  cat "$work/frontend.yaml" >"$frontend" || die "cannot write $frontend"
fi
[ ! -d "$root/deployments/configured" ] || echo "Now run deployments-config.sh again: deployments/configured does not have the queue."
