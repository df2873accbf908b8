#!/usr/bin/env bats
# How run-tests.sh counts: tests/count-results.py.

setup() {
  count="$BATS_TEST_DIRNAME/../count-results.py"
  cd "$BATS_TEST_TMPDIR"
}

# junit NAME:STATE... prints a JUnit file.
junit() {
  echo '<testsuites><testsuite>'
  for each; do
    echo "<testcase classname=\"part\" name=\"${each%%:*}\">"
    case ${each#*:} in
      failed) echo '<failure>what it printed</failure>' ;;
      skipped) echo '<skipped/>' ;;
    esac
    echo '</testcase>'
  done
  echo '</testsuite></testsuites>'
}

@test "tests are counted; what failed is listed with its output" {
  junit one:passed two:failed three:skipped >first.xml
  run "$count" first.xml failures.txt
  [ "$output" = "1 1 1" ]
  grep -qx 'FAILED: part two' failures.txt
  grep -qx '    what it printed' failures.txt
}

@test "a test that passes when it runs again counts as passed and is listed all the same" {
  junit one:failed two:failed >first.xml
  junit one:passed two:failed >again.xml
  run "$count" first.xml failures.txt again.xml
  [ "$output" = "1 1 0" ]
  grep -qx 'PASSED ONLY WHEN RUN AGAIN: part one' failures.txt
  grep -qx 'FAILED: part two' failures.txt
}

@test "a file without tests, half a file or none is an error" {
  junit >none.xml
  junit one:passed | head -n 2 >half.xml
  for file in none.xml half.xml missing.xml; do
    run "$count" "$file" failures.txt
    [ "$status" = 1 ]
  done
}
