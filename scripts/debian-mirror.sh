#!/bin/sh
# Prints the first mirror of Debian that this machine's apt has; nothing if it has none.

# Of both formats: "deb [options] URL suite ..." and "URIs: URL ...".
sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*] *\)\{0,1\}//p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  sed 's/ .*//; s|/$||; q'
