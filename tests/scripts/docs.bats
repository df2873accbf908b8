#!/usr/bin/env bats
# What the documentation tells its reader to type, run as it is written: tests/scripts/docs/run_page.py
# says how, tests/scripts/docs/scenes what each page takes for granted. The pages say fixed ports, so
# each is run in a network namespace of its own, where these are free, in a copy of this tree.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  if [ "$(id -u)" = 0 ]; then own=(unshare); else own=(unshare --map-root-user); fi
  own+=(--net --mount --pid --fork --kill-child --mount-proc)
  "${own[@]}" true 2>/dev/null || skip "no network namespaces: root, or unprivileged user namespaces"
  tree=$BATS_TEST_TMPDIR/twofold
  mkdir "$tree"
  (cd "$root" && git ls-files -z | xargs -0 cp --parents -t "$tree")
}

# The page runs, and as many commands as said at least are not skipped.
runs() {  # PAGE LEAST
  local scene=${1##*/}
  scene=$BATS_TEST_DIRNAME/docs/scenes/${scene%.md}.sh
  cd "$tree" || return
  run env -u TWOFOLD_DIR -u TWOFOLD_TOKEN HOME="$BATS_TEST_TMPDIR" XDG_STATE_HOME= ROOT="$root" \
    BIN="$bin" "${own[@]}" sh -c 'ip link set lo up && exec python3 "$@"' sh \
    "$BATS_TEST_DIRNAME/docs/run_page.py" "$1" "$scene"
  printf '%s\n' "$output"
  sed -n 's/^skipped/# &/p; $s/^/# /p' <<<"$output" >&3
  [ "$status" -eq 0 ]
  [ "$(sed -n '$s/ ran.*//p' <<<"$output")" -ge "$2" ]
}

@test "README.md: what it says to type runs" { runs README.md 18; }
@test "docs/api.md: what it says to type runs" { runs docs/api.md 5; }
@test "docs/client.md: what it says to type runs" { runs docs/client.md 8; }
@test "docs/jobs.md: what it says to type runs" { runs docs/jobs.md 20; }
@test "docs/lifecycle.md: what it says to type runs" { runs docs/lifecycle.md 7; }
@test "docs/load.md: what it says to type runs" { runs docs/load.md 12; }
@test "docs/local.md: what it says to type runs" { runs docs/local.md 9; }
@test "docs/report.md: what it says to type runs" { runs docs/report.md 6; }
@test "docs/scale.md: what it says to type runs" { runs docs/scale.md 4; }
@test "docs/scaling.md: what it says to type runs" { runs docs/scaling.md 6; }
@test "docs/security.md: what it says to type runs" { runs docs/security.md 13; }
@test "docs/store.md: what it says to type, and each query, runs" { runs docs/store.md 16; }
@test "docs/suites.md: what it says to type runs" { runs docs/suites.md 8; }
@test "docs/sweeps.md: what it says to type runs" { runs docs/sweeps.md 11; }
@test "docs/trace.md: what it says to type runs" { runs docs/trace.md 4; }
@test "deployments/README.md: what needs no cluster runs" { runs deployments/README.md 4; }

@test "no page is left out" {
  for page in README.md CONTRIBUTING.md deployments/README.md docs/*.md; do
    grep -q "runs $page " "$BATS_TEST_FILENAME" && continue
    run python3 "$BATS_TEST_DIRNAME/docs/run_page.py" --list "$page"
    [ "$status" -eq 0 ] || { echo "$page has commands that no test runs: $output"; return 1; }
  done
}
