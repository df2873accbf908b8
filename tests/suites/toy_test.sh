#!/bin/bash
# toy_test.sh BIN: a suite that is a folder and a row is listed, checked, run and shown like any other.
set -euo pipefail
bin=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR=$folder TWOFOLD_DIR=$folder/state XDG_STATE_HOME=$folder/xdg PATH=$bin:$PATH
cd "$folder"

# says WORDS COMMAND...: fails unless the output of COMMAND, which may fail, has WORDS.
says() {
  local words=$1 output
  shift
  output=$("$@" 2>&1) || true
  if [[ $output == *"$words"* ]]; then return; fi
  printf '%s\ndoes not say: %s\nbut:\n%s\n' "$*" "$words" "$output" >&2
  exit 1
}

cat >toy.yaml <<'END'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: toy}
spec:
  template: {kind: Toy, spec: {members: 2}}
  permutations: {product: {last: [2, 5]}}
  repetitions: 2
END
sed 's/last:/lst:/' toy.yaml >unknown.yaml
sed 's/5]/50]/' toy.yaml >large.yaml

says "Toy            toy             members" twofold kinds
says "how far to count" twofold kinds Toy
says '"const":"Toy"' twofold kinds --json-schema
says "no such field; did you mean 'last'?" twofold expand unknown.yaml
says "last: 50 is more than 9" twofold expand large.yaml
says "toy" twofold-backend --help
says "last: 50 is not from 1 to 9" twofold-backend --once -- toy '{"last": 50}'
seq 1 4 >saved.txt
says "lines" twofold parse toy saved.txt

twofold run --local --runid toy toy.yaml >table 2>log || { cat log >&2; exit 1; }
says "Toy: 4 of 4 jobs succeeded" cat table
store=$XDG_STATE_HOME/twofold/store.db
twofold results toy --store "$store" --all --json >results.json
says '"unit":"lines"' cat results.json
says "seq (GNU coreutils)" grep -ao "seq (GNU coreutils)" "$store"   # the version of its tool
