#!/bin/sh
# Type check of web/, and its unit tests by node's own runner: units.sh FOLDER, for what it makes.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)/units
web=$tests/../../../web
tsc -p "$web/tsconfig.check.json"
rm -rf "$1"
NODE_PATH=/usr/share/nodejs esbuild "$tests"/*.test.ts --bundle --platform=node --tsconfig="$web/tsconfig.json" \
  --main-fields=module,main --log-level=warning --outdir="$1"
node --test "$1"/
