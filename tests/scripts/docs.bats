#!/usr/bin/env bats
# What the documentation tells its reader to type, run as it is written: tests/scripts/docs/run_page.py
# says how, tests/scripts/docs/scenes what each page takes for granted. The pages say fixed ports, so
# each is run in a network namespace of its own, where these are free, and over a copy of this tree.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  if [ "$(id -u)" = 0 ]; then own=(unshare); else own=(unshare --map-root-user); fi
  own+=(--net --mount --pid --fork --kill-child --mount-proc)
  "${own[@]}" true 2>/dev/null || skip "no network namespaces: root, or unprivileged user namespaces"
  # run-scripts.py has made the copy; else the first page makes it.
  sources=${TWOFOLD_TREE:-$BATS_FILE_TMPDIR/twofold}
  [ -d "$sources" ] || { mkdir "$sources" && (cd "$root" && git ls-files -z | xargs -0 cp --parents -t "$sources"); }
  mkdir "$BATS_TEST_TMPDIR/twofold" "$BATS_TEST_TMPDIR/written" "$BATS_TEST_TMPDIR/work"
}

# Typed in the namespace: the tree lies over the copy, which it does not change, or is one of its own where that cannot be.
# shellcheck disable=SC2016
begin='ip link set lo up
mount -t overlay twofold -o "lowerdir=$sources,upperdir=$HOME/written,workdir=$HOME/work" "$HOME/twofold" 2>/dev/null ||
  cp -a "$sources/." "$HOME/twofold"
cd "$HOME/twofold" && exec /usr/bin/python3 "$@"'

# The page runs, and as many commands as said at least are not skipped.
runs() {  # PAGE LEAST
  local scene=${1##*/}
  scene=$BATS_TEST_DIRNAME/docs/scenes/${scene%.md}.sh
  run env -u TWOFOLD_DIR -u TWOFOLD_TOKEN HOME="$BATS_TEST_TMPDIR" XDG_STATE_HOME= ROOT="$root" \
    BIN="$bin" sources="$sources" "${own[@]}" sh -c "$begin" sh \
    "$BATS_TEST_DIRNAME/docs/run_page.py" "$1" "$scene"
  printf '%s\n' "$output"
  sed -n 's/^skipped/# &/p; $s/^/# /p' <<<"$output" >&3
  [ "$status" -eq 0 ]
  [ "$(sed -n '$s/ ran.*//p' <<<"$output")" -ge "$2" ]
}

@test "README.md: what it says to type runs" { runs README.md 18; }
@test "docs/air-gapped.md: what it says to type runs" { runs docs/air-gapped.md 8; }
@test "docs/api.md: what it says to type runs" { runs docs/api.md 5; }
@test "docs/client.md: what it says to type runs" { runs docs/client.md 8; }
@test "docs/jobs.md: what it says to type runs" { runs docs/jobs.md 20; }
@test "docs/lifecycle.md: what it says to type runs" { runs docs/lifecycle.md 7; }
@test "docs/load.md: what it says to type runs" { runs docs/load.md 12; }
@test "docs/local.md: what it says to type runs" { runs docs/local.md 9; }
@test "docs/report.md: what it says to type runs" { runs docs/report.md 6; }
@test "docs/scale.md: what it says to type runs" { runs docs/scale.md 4; }
@test "docs/scaling.md: what it says to type runs" { runs docs/scaling.md 6; }
@test "docs/scaling-workers.md: what it says to type runs" { runs docs/scaling-workers.md 2; }
@test "docs/security.md: what it says to type runs" { runs docs/security.md 13; }
@test "docs/store.md: what it says to type, and each query, runs" { runs docs/store.md 16; }
@test "docs/suites.md: what it says to type runs" { runs docs/suites.md 8; }
@test "docs/sweeps.md: what it says to type runs" { runs docs/sweeps.md 11; }
@test "docs/trace.md: what it says to type runs" { runs docs/trace.md 4; }
@test "deployments/README.md: what needs no cluster runs" { runs deployments/README.md 4; }

@test "no page is left out" {
  for page in README.md CONTRIBUTING.md deployments/README.md docs/*.md; do
    grep -q "runs $page " "$BATS_TEST_FILENAME" && continue
    run /usr/bin/python3 "$BATS_TEST_DIRNAME/docs/run_page.py" --list "$page"
    [ "$status" -eq 0 ] || { echo "$page has commands that no test runs: $output"; return 1; }
  done
}
