#!/usr/bin/env bats
# docs/sweeps.md: every YAML block that begins with `# NAME.yaml` is a file, every console block is
# what a shell prints. UPDATE_GOLDEN=1 writes what it prints now into the page.

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  bin=${TWOFOLD_BIN:-$root/build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  page=$root/docs/sweeps.md
  cd "$BATS_TEST_TMPDIR" || return
  awk '/^```yaml$/ { getline; file = $2 } /^```$/ { file = "" } file != "" { print > file }' "$page"
}

# The page with the output of each command renewed.
replayed() {
  local line console=no
  while IFS= read -r line; do
    case $line in
      '```console') console=yes ;;
      '```') console=no ;;
    esac
    if [ $console = no ] || [ "$line" = '```console' ]; then
      printf '%s\n' "$line"
    elif [ "${line#\$ }" != "$line" ]; then
      printf '%s\n' "$line"
      PATH=$bin:$PATH bash -c "${line#\$ }" 2>&1 </dev/null || true
    fi
  done <"$page"
}

@test "the files of docs/sweeps.md expand to what the page shows" {
  [ "$(find . -name '*.yaml' | wc -l)" -ge 4 ]
  [ "$(grep -c '^\$ twofold' "$page")" -ge 5 ]
  replayed >renewed.md
  [ "${UPDATE_GOLDEN:-}" != 1 ] || cp renewed.md "$page"
  diff "$page" renewed.md
}

@test "every example expands" {
  while IFS= read -r file; do
    "$bin/twofold" expand "$file" >out || { echo "$file"; false; }
    grep -q ' jobs\{0,1\} of ' out
  done < <(find "$root/examples" -name '*.yaml' -exec grep -LE '^kind: (Validation|LoadTest|LifecycleTest|WorkerPool|Frontend)$' {} +)
}
