# For bats tests: a PostgreSQL server of the file's own; tests that want it are skipped where it is not installed.
# shellcheck shell=bash

postgres=/usr/lib/postgresql/15/bin

# as_postgres COMMAND...: PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
  else
    "$@"
  fi
}

postgres_up() {
  [ -x $postgres/initdb ] || return 0
  PG=$(mktemp -d /tmp/twofold-pg-XXXXXX)
  export PG
  if [ "$(id -u)" = 0 ]; then chown postgres: "$PG"; fi
  (
    cd "$PG" || exit
    as_postgres $postgres/initdb -D "$PG/data" -U tester -A trust -N -E UTF8 --locale=C >"$PG/log"
    as_postgres $postgres/pg_ctl -D "$PG/data" -w -l "$PG/server.log" -o "-k $PG -h '' -F" start
  ) >/dev/null 3>&-
}

postgres_down() {
  [ -n "${PG:-}" ] || return 0
  (cd "$PG" && as_postgres $postgres/pg_ctl -D "$PG/data" -m immediate stop) >/dev/null
  rm -rf "$PG"
}

# new_database NAME: empty; its address is in $database.
new_database() {
  [ -n "${PG:-}" ] || skip "PostgreSQL is not installed"
  psql -h "$PG" -U tester -q postgres -c "CREATE DATABASE $1"
  database="postgresql://tester@/$1?host=$PG"
}
