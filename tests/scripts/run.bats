#!/usr/bin/env bats
# twofold run --local with the real programs of build/dev (or $TWOFOLD_BIN).
# shellcheck disable=SC2154,SC2016  # bats sets stderr; backquotes are printed as they are

bats_require_minimum_version 1.5.0

load helpers.bash

setup() {
  bin=${TWOFOLD_BIN:-$BATS_TEST_DIRNAME/../../build/dev/bin}
  [ -x "$bin/twofold" ] || skip "no programs in $bin"
  export TMPDIR=$BATS_TEST_TMPDIR TWOFOLD_DIR=$BATS_TEST_TMPDIR/state XDG_STATE_HOME=$BATS_TEST_TMPDIR/xdg
  usual=$XDG_STATE_HOME/twofold
  cd "$BATS_TEST_TMPDIR" || return
  cat >f.yaml <<'END'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: local}
spec:
  template: {kind: Fio, spec: {numWorkers: 2}}
  permutations: {product: {rw: [read, write]}}
  repetitions: 2
END
  # Rank 0 shows its spec; the other one is ready, and there until it is stopped.
  cat >show <<'END'
#!/bin/sh
[ -z "${TWOFOLD_READY_FD:-}" ] || { echo ready >&"$TWOFOLD_READY_FD"; exec sleep 60; }
echo "$@"
END
  chmod +x show
}

# Nobody holds the lock of the cluster of $1.
is_down() { flock -n "$1/cluster/lock" true; }

# What a job of 2 permutations and 2 repetitions does that can be stopped: it notes that it has begun,
# and ends when there is a file `go`.
slow_workload() {
  cat >slow <<END
#!/bin/sh
[ -z "\${TWOFOLD_READY_FD:-}" ] || { echo ready >&"\$TWOFOLD_READY_FD"; exec sleep 60; }
echo "\$@" >>$PWD/begun
while [ ! -e $PWD/go ]; do sleep 0.05; done
echo "\$@" >>$PWD/ended
END
  chmod +x slow
}

@test "run --local starts what it needs, runs, and says where its results are" {
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload "$PWD/show"
  [ "$status" -eq 0 ]
  [[ "$output" == *"rw     N  HEADLINE"* ]]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
  [[ "$stderr" == *"4/4 done"* ]]
  [[ "$stderr" == *"store $usual/store.db, logs in $usual/cluster/logs"* ]]
  is_down "$usual"
  table=$output
  said=$(sed -n 's/^kept: `\(twofold results .* --store .*\)`$/\1/p' <<<"$stderr")
  run bash -c "PATH=$bin:\$PATH; $said"
  [ "$status" -eq 0 ]
  [ "$(grep -v jobs <<<"$output")" = "$(grep -v jobs <<<"$table")" ]
}

@test "run --local --keep keeps store and logs" {
  "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/show" --runid once
  [ -s kept/store.db ]
  is_down kept
  [ -s kept/cluster/logs/supervisor.log ]
  [ -s kept/cluster/logs/scalability-tester-frontend-0.log ]
  [ -e kept/cluster/logs/scalability-tester-backend-fio-1.log ]   # it says little
  run --separate-stderr "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/show" --runid once
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"there is a run once already; nothing is run"* ]]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
}

# Notes when it begins and ends; waits until as many others as $1 says have begun as well.
side_by_side() {
  cat >noted <<END
#!/bin/sh
echo begins >>$PWD/notes
while [ "\$(grep -c begins $PWD/notes)" -lt "$1" ]; do sleep 0.02; done
sleep 0.2
echo ends >>$PWD/notes
END
  chmod +x noted
  sed -i 's/numWorkers: 2/numWorkers: 1/' f.yaml
}

@test "jobs of a sweep over the number of workers run one at a time" {
  side_by_side 1
  sed -i 's/numWorkers: 1/numWorkers: 2/; s/product: .*/product: {numWorkers: [1, 2]}}/' f.yaml
  sed -i '2i [ -z "${TWOFOLD_READY_FD:-}" ] || { echo ready >\&"$TWOFOLD_READY_FD"; exec sleep 60; }' noted
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload ./noted
  [ "$status" -eq 0 ]
  [ "$(uniq notes | wc -l)" -eq 8 ]  # begins and ends take turns
  [[ "$output" != *"overlapped"* ]]
}

@test "jobs run side by side where the file says so, and say that they did" {
  side_by_side 2
  echo '  maxParallel: 2' >>f.yaml
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload ./noted --runid both --html report.html
  [ "$status" -eq 0 ]
  [ "$(head -n 2 notes | uniq)" = begins ]
  [[ "$output" == *" overlapped with up to "*" of the run: they may have measured each other"* ]]
  "$bin/twofold" results both --store "$usual/store.db" --json |
    jq -e '[.permutations[] | .overlapped] | add >= 2'
  grep -q 'overlapped with up to' report.html
}

@test "jobs that fail fail the run, and their names are said" {
  run --separate-stderr "$bin/twofold" run --local f.yaml --workload /bin/false --output json
  [ "$status" -eq 1 ]
  [ "$(jq '[.permutations[].jobs[] | select(.outcome == "failed")] | length' <<<"$output")" = 4 ]
  [[ "$stderr" == *"failed, permutation 1 repetition 1 (rw=read)"* ]]
}

@test "run --local FILE --interleave FILE makes two runs in turn, and --resume goes on with both" {
  sed 's/numWorkers: 2/numWorkers: 1/' f.yaml >base.yaml
  sed 's/numWorkers: 1/numWorkers: 1, bs: 8k/' base.yaml >now.yaml
  cat >noted <<END
#!/bin/sh
case "\$1" in *8k*) whose=B ;; *) whose=A ;; esac
case "\$1" in *write*) what=write ;; *) what=read ;; esac
echo "\$whose \$what" >>$PWD/order
END
  chmod +x noted
  run --separate-stderr "$bin/twofold" run --local base.yaml --interleave now.yaml --workload "$PWD/noted" --runid x
  [ "$status" -eq 0 ]
  [[ "$stderr" == *"runs x-a and x-b in turn"*"8/8 done"* ]]
  [ "$(paste -sd, order)" = "A read,B read,B read,A read,A write,B write,B write,A write" ]
  run "$bin/twofold" run --local --resume x-b
  [ "$status" -eq 0 ]
  [ "$(wc -l <order)" -eq 8 ]
}

@test "an interrupted local run goes on with --resume, each job once" {
  slow_workload
  "$bin/twofold" run --local f.yaml --workload "$PWD/slow" --runid once 2>log &
  pid=$!
  soon test -s begun
  kill -TERM "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 6 ]
  grep -q 'run once is paused; go on with `twofold run --local --resume once`' log
  is_down "$usual"
  "$bin/twofold" runs --store "$usual/store.db" | grep -q 'once *Fio *paused *4 *0 *0 *0 *0 *0 *4'
  ! pgrep -f "$PWD/slow" || { echo "a workload is left"; false; }

  touch go
  "$bin/twofold" run --local f.yaml --workload "$PWD/show" --runid other   # has nothing of it
  [ ! -e ended ]
  run --separate-stderr "$bin/twofold" run --local --resume once
  [ "$status" -eq 0 ]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
  [ "$(wc -l <ended)" = 4 ]
  "$bin/twofold" runs --store "$usual/store.db" | grep -q 'once *Fio *ended *4 *0 *0 *0 *4 *0 *0'
}

nobody_has_the_run() { "$bin/twofold" runs --store kept/store.db | grep -q 'once *Fio *waiting *4 *0 *4 *0'; }

@test "a local run that was killed waits, and goes on with --resume" {
  slow_workload
  "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/slow" --runid once 2>log &
  pid=$!
  soon test -s begun
  "$bin/twofold" runs --store kept/store.db | grep -q 'once *Fio *running *4 *0 *3 *1'
  kill -KILL "$pid"
  wait "$pid" || true
  soon nobody_has_the_run
  "$bin/twofold" results once --store kept/store.db --all | cut -d, -f 8 | sort -u | paste -sd, | grep -qx outcome,waiting
  "$bin/twofold" run --local --keep kept f.yaml --workload "$PWD/show" --runid other
  nobody_has_the_run  # nor does another run in the folder have it
  touch go
  run "$bin/twofold" run --local --keep kept --resume once
  [ "$status" -eq 0 ]
  [[ "$output" == *"Fio: 4 of 4 jobs succeeded"* ]]
  [ "$(wc -l <ended)" = 4 ]
}

@test "a local run offers what it can do: p pauses it, c cancels it" {
  slow_workload
  : >typescript
  mkfifo keys
  for key in p c; do
    rm -f begun
    script -qefc "$bin/twofold run --local f.yaml --workload $PWD/slow --runid key-$key" typescript <keys >/dev/null &
    pid=$!
    exec 7>keys
    soon test -s begun
    printf '\003' >&7
    soon grep -q 'Enter: go on' typescript
    ! grep -q detach typescript
    printf '%s\n' "$key" >&7
    status=0
    wait "$pid" || status=$?
    exec 7>&-
    [ "$status" -eq 6 ]
  done
  "$bin/twofold" runs --store "$usual/store.db" | grep -q 'key-p *Fio *paused'
  "$bin/twofold" runs --store "$usual/store.db" | grep -q 'key-c *Fio *cancelled *4 *0 *0 *0 *0 *0 *4'
}

@test "a second local run in the same folder is refused, and the first goes on" {
  slow_workload
  "$bin/twofold" run --local f.yaml --workload "$PWD/slow" 2>log &
  pid=$!
  soon test -s begun
  run "$bin/twofold" run --local f.yaml --workload "$PWD/show"
  [ "$status" -eq 5 ]
  [[ "$output" == *"another run on this machine goes on in $usual/cluster"*--keep* ]]
  touch go
  wait "$pid"
}

@test "conditions that one machine cannot apply are refused where they differ" {
  cat >net.yaml <<'END'
apiVersion: twofold/v1
kind: BenchmarkSet
metadata: {name: net}
spec:
  template: {kind: Fio}
  permutations:
    product:
      rw: [read, write]
      hostNetwork: [true, false]
END
  run "$bin/twofold" run --local net.yaml --workload "$PWD/show"
  [ "$status" -eq 5 ]
  [[ "$output" == *"net.yaml:9:7: hostNetwork: --local cannot apply it"* ]]
  [ ! -e "$usual/store.db" ]
}

@test "a condition that was not applied is said in table, JSON, CSV, store and export" {
  cat >net.yaml <<'END'
apiVersion: twofold/v1
kind: Fio
metadata: {name: net}
spec: {hostNetwork: true}
END
  run --separate-stderr "$bin/twofold" run --local net.yaml --workload "$PWD/show" --runid net
  [ "$status" -eq 0 ]
  [[ "$output" == *"measured on one machine, "*"; not applied there: hostNetwork=true"* ]]
  store=$usual/store.db
  "$bin/twofold" results export net net.db --store "$store"
  for file in "$store" net.db; do
    [ "$("$bin/twofold" results net --store "$file" --json | jq -r .run.labels.not_applied)" = hostNetwork=true ]
    [ "$("$bin/twofold" results net --store "$file" --csv | sed -n '1s/.*,//p;2s/.*,//p' | xargs)" = "not_applied hostNetwork=true" ]
    [ "$("$bin/twofold" results net --store "$file" --all | sed -n '1s/.*,//p;2s/.*,//p' | xargs)" = "not_applied hostNetwork=true" ]
  done
}

@test "a benchmark with its own suite runs on this machine" {
  command -v fio >/dev/null || skip "no fio"
  sed 's/runtime: 3s/runtime: 1s/' "$BATS_TEST_DIRNAME/../../examples/fio-quick.yaml" >quick.yaml
  run "$bin/twofold" run --local quick.yaml
  [[ "$output" != *"neither a built-in suite"* ]] || skip "twofold-backend does not run the suite fio"
  [ "$status" -eq 0 ]
  [[ "$output" == *"12 of 12 jobs succeeded"* ]]
}
