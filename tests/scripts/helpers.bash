# For bats tests.
# shellcheck shell=bash

# soon COMMAND...: until it succeeds.
soon() {
  for _ in $(seq 600); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  return 1
}

# certificates_and_tokens: in the current folder, by the commands of docs/security.md as they stand there. They are the
# indented lines between the two headings, less those that start programs.
certificates_and_tokens() {
  sed -n '/^## Certificates and tokens/,/^All of it together/s/^    //p' "$BATS_TEST_DIRNAME/../../docs/security.md" >commands
  [ "$(grep -c openssl commands)" -ge 6 ]
  sh -e commands 2>log || { cat log; false; }
}
