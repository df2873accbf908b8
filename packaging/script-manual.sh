#!/bin/sh
# A manual page of what a script says of itself: script-manual.sh SCRIPT VERSION. Its second line says it in one
# sentence. The page is its --help, or the first text of one in Python, which need not be there.
set -eu
name=${1##*/}
case $(head -n 1 "$1") in
  *python3) help=$(awk -F '"""' 'NF > 1 && !seen++ { print $2; inside = 1; next } inside && NF > 1 { exit } inside' "$1") ;;
  *) help=$("$1" --help) ;;
esac

# Text is never taken for a request, and its hyphens can be copied to a shell.
escape() { sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'"'"']/\\\&&/'; }

about=$(sed -n '2s/^# *//p; 2s/^"""//p' "$1" | sed 's/\.$//; s/: the workload.*//')
printf '.TH "%s" 1 "" "Twofold %s" "User Commands"\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]' | escape)" "$2"
printf '.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n' "$(echo "$name" | escape)" "$(echo "$about" | escape)"
printf '%s\n' "$help" | escape
printf '.fi\n'
