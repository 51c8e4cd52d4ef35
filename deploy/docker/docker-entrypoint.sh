#!/bin/sh
# The part of the official image's entry point that compose.yaml uses: a database, its owner and password on first start.
set -eu
if [ "${1:-}" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  unfinished="$PGDATA.new"
  rm -rf "$unfinished"
  mkdir -p "$(dirname "$PGDATA")"
  initdb --pgdata="$unfinished" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --encoding=UTF8 \
    --locale=C.UTF-8 --auth=scram-sha-256
  printf 'create database "%s";\n' "$POSTGRES_DB" | postgres --single -D "$unfinished" postgres >/dev/null
  mv "$unfinished" "$PGDATA"
fi
exec "$@"
