#!/bin/sh
# Links a program with archives in place of the shared libraries that have one: link-archives.sh COMPILER ARGUMENT...
# They are searched as one group, for archives are not listed in the order in which they need each other.
set -eu
command=$1
shift
for argument; do
  shift
  case "$argument" in
    /*.so | /*.so.*)
      archive=${argument%%.so*}.a
      if [ -e "$archive" ]; then argument=$archive; fi
      ;;
  esac
  set -- "$@" "$argument"
done
exec "$command" -Wl,--start-group "$@" -Wl,--end-group
