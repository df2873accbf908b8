#!/usr/bin/env bats
# What `cmake --install` installs, and what the programs say of themselves: of build/dev.

bats_require_minimum_version 1.5.0

setup_file() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  build=${TWOFOLD_BUILD:-$root/build/dev}
  [ -e "$build/packaging/man/twofold.1" ] || skip "nothing built in $build"
  prefix=$BATS_FILE_TMPDIR/usr
  for component in twofold twofold-frontend twofold-backend twofold-client twofold-gpu twofold-objects twofold-pytorch; do
    cmake --install "$build" --prefix "$prefix" --component "$component" --strip >/dev/null
  done
  export root prefix
}

programs="twofold twofold-frontend twofold-backend twofold-client twofold-rsh twofold-gpu twofold-objects"

@test "each program is installed, runs, and has its manual page and completion" {
  for program in $programs; do
    "$prefix/bin/$program" --version
    "$prefix/bin/$program" --manual | cmp - "$prefix/share/man/man1/$program.1"
    "$prefix/bin/$program" --completion=bash | cmp - "$prefix/share/bash-completion/completions/$program"
    [ -s "$prefix/share/zsh/vendor-completions/_$program" ]
    [ -s "$prefix/share/fish/vendor_completions.d/$program.fish" ]
  done
  [ "$("$prefix/bin/validate-scaling.sh" --help | head -n 1 | cut -c 1-26)" = "Usage: validate-scaling.sh" ]
  [ -x "$prefix/libexec/twofold/twofold-keeper" ]
  [ -e "$prefix/share/doc/twofold/examples/fio-quick.yaml" ]
}

@test "each program says its manual and completion itself, but for those that docs/install.md names" {
  for path in "$prefix"/bin/*; do
    program=${path##*/}
    [ -s "$prefix/share/man/man1/$program.1" ] || { echo "$program has no manual page"; return 1; }
    if grep -B 1 "are scripts" "$root/docs/install.md" | grep -qF "\`$program\`"; then
      [ -n "$("$path" --help)" ] && continue
    fi
    "$path" --manual | grep -q '^\.TH'
    for shell in bash zsh fish; do
      "$path" --completion "$shell" | cmp - <("$path" --completion="$shell")
    done
  done
}

@test "manual pages have no errors, a name, and each command" {
  command -v mandoc >/dev/null || skip "no mandoc"
  for page in "$prefix"/share/man/man1/*.1; do
    run mandoc -T lint -W error "$page"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    mandoc -T utf8 "$page" | col -b | sed -n '/^NAME/{n;p}' | grep -E '^ +[a-z.-]+ [-–] .'
  done
  mandoc -T utf8 "$prefix/share/man/man1/twofold.1" | col -b >"$BATS_TEST_TMPDIR/page"
  for command in "local up" "job submit" queues "lifecycle run" "nodes up" compare; do
    grep -q "^ *twofold $command" "$BATS_TEST_TMPDIR/page" || { echo "no twofold $command"; return 1; }
  done
}

# offers SHELL WORD...: what can stand in place of the last word, one a line.
offers_bash() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _twofold; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$prefix/share/bash-completion/completions/twofold" twofold "$@"
}
offers_fish() {
  fish -c 'source $argv[1]; complete -C "twofold $argv[2..-1]"' "$prefix/share/fish/vendor_completions.d/twofold.fish" "$@" |
    cut -f 1
}

@test "bash and fish complete commands, options and choices" {
  for shell in bash fish; do
    command -v "$shell" >/dev/null || continue
    [ "$("offers_$shell" local u)" = up ]
    [ "$("offers_$shell" local up --repl)" = --replicas ]
    [ "$("offers_$shell" queues --output j)" = json ]
    "offers_$shell" "" | grep -qx lifecycle
  done
}

@test "zsh reads its completion" {
  command -v zsh >/dev/null || skip "no zsh"
  for script in "$prefix"/share/zsh/vendor-completions/_*; do zsh -n "$script"; done
  # Its offers, with the completion system replaced by what prints them.
  run zsh -fc 'compdef() { :; }; _files() { :; }; _describe() { print -rl -- ${(P)${@[-1]}}; }
    source "$1"; words=(twofold local ""); CURRENT=3; _twofold' zsh "$prefix/share/zsh/vendor-completions/_twofold"
  [ "$status" -eq 0 ]
  [[ "$output" == *"up:Start frontend"* ]]
}

@test "a local cluster runs from where it is installed" {
  export TWOFOLD_DIR=$BATS_TEST_TMPDIR/state PATH=$prefix/bin:$PATH
  twofold local up --queues sleep=0.05 --free-ports
  run twofold job submit sleep --wait -- 0.01
  twofold local down
  [ "$status" -eq 0 ]
}

@test "the services are valid, and confined" {
  command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
  units=$BATS_TEST_TMPDIR/units
  mkdir "$units"
  for unit in twofold-frontend.service twofold-backend@.service; do
    sed "s|/usr/bin|$prefix/bin|; /^Documentation=/d" "$root/packaging/debian/$unit" >"$units/$unit"
  done
  run systemd-analyze verify --man=no "$units/twofold-frontend.service" "$units/twofold-backend@sleep.service"
  echo "$output"
  [ "$status" -eq 0 ]
  ! grep -E 'twofold-(frontend|backend).*(Unknown|Failed|not executable)' <<<"$output"
  # 0 is best, 10 worst; a backend runs programs of others.
  systemd-analyze security --offline=true --threshold=20 "$units/twofold-frontend.service" >/dev/null
  systemd-analyze security --offline=true --threshold=60 "$units/twofold-backend@sleep.service" >/dev/null
}

@test "the options of the services are good" {
  . "$root/packaging/debian/etc/backend"
  # shellcheck disable=SC2086
  "$prefix/bin/twofold-backend" --check-config --queue sleep $OPTIONS -- $WORKLOAD
  . "$root/packaging/debian/etc/frontend"
  # shellcheck disable=SC2086
  "$prefix/bin/twofold-frontend" --check-config $OPTIONS $QUEUES
}

@test "of a build that lacks a program no packages are made, and the program is named" {
  mkdir -p "$BATS_TEST_TMPDIR/part/bin"
  for program in twofold twofold-frontend twofold-backend twofold-client; do
    install -m 755 /bin/true "$BATS_TEST_TMPDIR/part/bin/$program"
  done
  run "$root/packaging/make-packages.sh" "$BATS_TEST_TMPDIR/part"
  [ "$status" -eq 2 ]
  [[ "$output" = *"has no twofold-gpu: build all first"* ]]
}
