#!/usr/bin/env bats
# What `twofold kinds --json-schema` prints, next to what `twofold expand` says of the same documents.

bats_require_minimum_version 1.5.0

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  python3 -W ignore -c 'import jsonschema, yaml' || skip "no python3-jsonschema or python3-yaml"
  cd "$BATS_TEST_TMPDIR" || return
  "$bin/twofold" kinds --json-schema >schema.json
}

@test "the JSON schema takes and refuses documents as twofold expand does" {
  run python3 -W ignore "$BATS_TEST_DIRNAME/schema.py" schema.json "$bin/twofold" "$BATS_TEST_DIRNAME/../../examples"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "the JSON schema says what an editor shows" {
  streams='.definitions.IPerf.properties.streams'
  [ "$(jq -r "$streams.description" schema.json)" = "connections at once" ]
  [ "$(jq -c "$streams | [.minimum, .maximum, .default]" schema.json)" = "[1,128,1]" ]
  [ "$(jq -c '.definitions.Media.properties.outputs.items.properties.codec.enum' schema.json)" = \
    '["h264","h265","av1","mpeg4",null]' ]
}

@test "--json-schema is of all kinds" {
  run "$bin/twofold" kinds Fio --json-schema
  [ "$status" -eq 2 ]
  [[ "$output" == *"KIND excludes --json-schema"* ]]
}

@test "tables fit the terminal and name what has no place; --wide prints them as they are" {
  command -v script >/dev/null || skip "needs script"
  for wide in "" --wide; do
    script -qec "stty cols 60; $bin/twofold kinds $wide" /dev/null </dev/null | tr -d '\r' >"seen$wide"
  done
  [ "$(wc -L <seen)" -le 60 ]
  [ "$(cat seen--wide)" = "$("$bin/twofold" kinds)" ]
  [ "$(wc -L <seen--wide)" -gt 60 ]
}
