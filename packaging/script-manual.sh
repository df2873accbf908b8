#!/bin/sh
# A manual page of what a script says of itself: script-manual.sh SCRIPT VERSION. The script's --help is the page;
# the comment or text in its third line or second is its one line.
set -eu
name=${1##*/}
help=$("$1" --help)

# Text is never taken for a request, and its hyphens can be copied to a shell.
escape() { sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'"'"']/\\\&&/'; }

about=$(sed -n '2s/^# *//p; 2s/^"""//p' "$1" | sed 's/\.$//; s/: the workload.*//')
printf '.TH "%s" 1 "" "Twofold %s" "User Commands"\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]' | escape)" "$2"
printf '.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n' "$(echo "$name" | escape)" "$(echo "$about" | escape)"
printf '%s\n' "$help" | escape
printf '.fi\n'
