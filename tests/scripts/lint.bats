#!/usr/bin/env bats
# Which files tests/lint.py looks at. No compiler runs here: `--list` only says which.

setup() {
  mkdir -p "$BATS_TEST_TMPDIR/tree/tests" "$BATS_TEST_TMPDIR/tree/build" "$BATS_TEST_TMPDIR/tree/lib"
  cp "$BATS_TEST_DIRNAME/../lint.py" "$BATS_TEST_TMPDIR/tree/tests"
  cd "$BATS_TEST_TMPDIR/tree" || return
  git init -q -b main
  git config user.name test
  git config user.email test@example.com
  printf '[{"file": "%s/lib/a.cc"}, {"file": "%s/lib/b.cc"}]' "$PWD" "$PWD" >build/compile_commands.json
  save lib/a.cc lib/b.cc
}

# Changes these files in a commit.
save() {
  for file in "$@"; do echo "// more" >>"$file"; done
  git add "$@"
  git commit -q -m change
}

@test "without an earlier commit lint is skipped, with the reason" {
  run tests/lint.py build --list
  [ "$status" = 77 ]
  [[ "$output" == "SKIPPED: clang-tidy: there is no earlier commit"* ]]
}

@test "a branch is compared with where it left the main one" {
  git checkout -q -b work
  save lib/a.cc
  save lib/b.cc
  run tests/lint.py build --list
  [ "$status" = 0 ]
  [ "$output" = $'lib/a.cc\nlib/b.cc' ]
}

@test "the main branch is compared with the commit before, and a header stands for its source" {
  save lib/a.cc
  save lib/b.h
  run tests/lint.py build --list
  [ "$status" = 0 ]
  [ "$output" = lib/b.cc ]
}

@test "a file that only got another name is no change, one that was changed with it is" {
  for line in 1 2 3 4 5 6 7 8 9; do echo "// line $line" >>lib/b.cc; done
  save lib/b.cc
  git mv lib/a.cc lib/moved.cc
  git mv lib/b.cc lib/changed.cc
  save lib/changed.cc
  sed -i 's/a.cc/moved.cc/; s/b.cc/changed.cc/' build/compile_commands.json
  run tests/lint.py build --list
  [ "$status" = 0 ]
  [ "$output" = lib/changed.cc ]
}

@test "lint of nothing passes" {
  save README.md
  run tests/lint.py build
  [ "$status" = 0 ]
  [[ "$output" == *"0 findings in 0 files"* ]]
}
