#!/usr/bin/env bats
# bench/instructions.sh with a valgrind that counts as the test says.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  script=$BATS_TEST_DIRNAME/../../bench/instructions.sh
  cat >valgrind <<'END'
#!/bin/sh
# What begins and ends a run takes a million, a round as many as $A_ROUND says; none: it cannot be run.
[ -z "$A_ROUND" ] || echo "==7== Collected : $((1000000 + TWOFOLD_ROUNDS * A_ROUND))" >&2
exit ${CRASH:-0}
END
  chmod +x valgrind
  export PATH="$BATS_TEST_TMPDIR:$PATH" A_ROUND=64000
  : >counts.tsv
  "$script" --file counts.tsv --record "first" programs
}

counts() { run "$script" --file counts.tsv "$@" programs; }

@test "what is counted is a job, without what begins and ends a run" {
  grep -qx $'frontend, one job at a time\t64000\tfirst' counts.tsv
  grep -qx $'frontend, 64 jobs a message\t1000\tfirst' counts.tsv
  [ "$(wc -l <counts.tsv)" -eq 7 ]
}

@test "as many as before, within 5 %, is well, and nothing is recorded" {
  A_ROUND=67000 counts
  [ "$status" -eq 0 ]
  A_ROUND=67000 counts --record "no news"
  [ "$(wc -l <counts.tsv)" -eq 7 ]
}

@test "more than 5 % over fails, until a line says why" {
  export A_ROUND=68000
  counts
  [ "$status" -eq 1 ]
  [[ "$output" == *"frontend, one job at a time: 68000 instructions a job, 64000 before"*"say why with --record"* ]]
  counts --record "deadlines are checked"
  [ "$status" -eq 0 ]
  grep -qx $'frontend, one job at a time\t68000\tdeadlines are checked' counts.tsv
  counts
  [ "$status" -eq 0 ]
}

@test "fewer are well, and asked for" {
  A_ROUND=32000 counts
  [ "$status" -eq 0 ]
  [[ "$output" == *"more than 5 % fewer"* ]]
}

@test "a case without a line, or that cannot be counted, fails" {
  sed -i /core/d counts.tsv
  counts
  [ "$status" -eq 1 ]
  A_ROUND='' counts
  [ "$status" -eq 1 ]
  [[ "$output" == *"could not be counted"* ]]
}

@test "what a program counted until it crashed is no count" {
  CRASH=139 counts
  [ "$status" -eq 1 ]
  [[ "$output" == *"could not be counted"* ]]
}
