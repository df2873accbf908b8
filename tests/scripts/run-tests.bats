#!/usr/bin/env bats
# What run-tests.sh makes of its parts. Nothing is built here: cmake, ctest and the tests themselves are stubs, which say in `calls`
# that they ran.

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  mkdir -p "$BATS_TEST_TMPDIR"/tree/{scripts,bin,tests/fuzz/corpus/batches}
  cd "$BATS_TEST_TMPDIR/tree" || return
  sed 's,/usr/bin/python3 -m pytest,pytest,' "$root/run-tests.sh" >run-tests.sh
  cp "$root/tests/count-results.py" "$root/tests/seconds.py" tests
  printf 'dev\t7\t7\n' >tests/seconds.tsv
  stub scripts/install-packages.sh 'true'
  stub bin/cmake 'echo "cmake $*" >>calls'
  stub bin/ctest 'mkdir -p build/{dev,asan,tsan}; echo "ctest $*" >>calls; junit "${@: -1}" "${2#build/}" "$*"'
  stub bin/pytest 'folder=${5#tests/}; echo "pytest $folder" >>calls; junit "${@: -1}" "$folder" "$*"'
  stub tests/run-scripts.py 'echo "bats $*" >>calls; mkdir -p "${@: -1}"; junit "${@: -1}/report.xml" scripts "$*"'
  stub tests/lint.py 'echo "lint $*" >>calls'
  stub tests/fuzz/run.sh 'echo "fuzz $*" >>calls'
  # A part that is named in `fails` has a failed test; in `fails-once`, one that passes when it runs again.
  cat >bin/junit <<'END'
#!/bin/bash
file=${1#--output-junit}; file=${file#--junitxml=}
failure=
if grep -qx "$2" fails || { grep -qx "$2" fails-once && [[ $3 != *failed* ]]; }; then failure='<failure>why</failure>'; fi
echo "<testsuite><testcase classname=\"$2\" name=\"a\">$failure</testcase><testcase classname=\"$2\" name=\"b\"/></testsuite>" >"$file"
[ -z "$failure" ]
END
  chmod +x bin/junit run-tests.sh
  touch fails fails-once calls
  git init -q
  export PATH=$PWD/bin:$PATH
}

stub() { printf '#!/bin/bash\n%s\n' "$2" >"$1" && chmod +x "$1"; }

@test "all parts run, and all tests are counted" {
  run ./run-tests.sh
  echo "$output"
  [ "$status" = 0 ]
  [ "${lines[-1]}" = "14 passed, 0 failed" ]
  for part in 'bats build/bats' 'pytest kubernetes' 'pytest web' 'lint build/asan' 'fuzz batches'; do grep -qx "$part" calls; done
  grep -q '^ctest .*build/tsan' calls
}

@test "a test that fails runs once more when all have ended; if it then passes it is named, and counts" {
  echo scripts >fails-once
  run ./run-tests.sh
  echo "$output"
  [ "$status" = 0 ]
  [ "${lines[-1]}" = "14 passed, 0 failed" ]
  [[ "$output" == *"PASSED ONLY WHEN RUN AGAIN: scripts a"* ]]
  sed '1,/^fuzz/d' calls | grep '^bats --failed '
}

@test "what fails twice is listed, and fails all" {
  printf 'dev\nweb\n' >fails
  run ./run-tests.sh
  echo "$output"
  [ "$status" = 1 ]
  [ "${lines[-1]}" = "12 passed, 2 failed" ]
  [[ "$output" == *"FAILED: dev a"* && "$output" == *"FAILED: web a"* ]]
}

@test "what does not build is one failed test" {
  stub bin/cmake 'echo "cmake $*" >>calls; [[ "$*" != "--build --preset tsan"* ]]'
  run ./run-tests.sh
  echo "$output"
  [ "$status" = 1 ]
  [ "${lines[-1]}" = "12 passed, 1 failed" ]
  [[ "$output" == *"FAILED: tsan does not build"* ]]
}

@test "seconds of each part stand beside those of before" {
  run ./run-tests.sh dev
  [ "${lines[-1]}" = "2 passed, 0 failed" ]
  [[ "$output" == *"  dev "*"before:     7     7"* ]]
  grep -qP '^build-dev\t\d+\t\d+$' build/results/seconds.tsv
}

@test "a part of the sanitizers that fails beside the others fails all" {
  stub tests/lint.py 'exit 1'
  echo asan >fails
  run ./run-tests.sh asan lint tsan fuzz
  echo "$output"
  [ "$status" = 1 ]
  [ "${lines[-1]}" = "4 passed, 2 failed" ]
  [[ "$output" == *"FAILED: asan a"* && "$output" == *"FAILED: lint"* ]]
}

@test "one part runs alone, and builds only what it needs" {
  run ./run-tests.sh fuzz
  [ "${lines[-1]}" = "1 passed, 0 failed" ]
  grep -q 'cmake --build --preset asan .*--target fuzz_batches' calls
  ! grep -q ctest calls
}

@test "each part knows that it is night" {
  stub tests/run-scripts.py 'echo "bats at night: $TWOFOLD_NIGHTLY" >>calls'
  stub bin/pytest 'echo "pytest at night: $TWOFOLD_NIGHTLY" >>calls'
  run ./run-tests.sh --nightly scripts kubernetes
  grep -qx "bats at night: 1" calls
  grep -qx "pytest at night: 1" calls
}
