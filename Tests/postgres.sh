#!/usr/bin/env bash
# Runs a command beside a PostgreSQL server of its own: Tests/postgres.sh COMMAND... It listens on a Unix socket
# only, and its files are deleted at the end. POSTGRES has the connection string for the command, of a role that
# may create databases.
set -euo pipefail

programs=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort --version-sort | tail -n 1)
if [ -z "$programs" ]; then
    echo "missing Debian package postgresql: run './setup.sh postgres'" >&2
    exit 1
fi

# In POSTGRES_BASE, or else in memory, if there is a gigabyte.
base=${POSTGRES_BASE:-${TMPDIR:-/tmp}}
if [ -z "${POSTGRES_BASE:-}" ] && [ "$(df --output=avail --block-size=1M /dev/shm 2>/dev/null | tail -n 1)" -gt 1024 ] 2>/dev/null; then
    base=/dev/shm
fi
directory=$(mktemp --directory "$base/varde-postgres.XXXXXX")
# The server does not run as root.
as_server=()
if [ "$(id -u)" -eq 0 ]; then
    as_server=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chown postgres "$directory"
fi
server() { (cd "$directory" && "${as_server[@]}" "$programs/$1" "${@:2}"); }
end() {
    server pg_ctl stop --pgdata="$directory/data" --mode=immediate --silent || true
    rm -rf "$directory"
}
trap end EXIT

server initdb --pgdata="$directory/data" --username=varde --auth=trust --encoding=UTF8 --locale=C \
    --no-sync --no-instructions >"$directory/initdb.log"
options=(
    -c listen_addresses= -c "unix_socket_directories=$directory" -c max_connections=1000
    -c shared_buffers=32MB -c max_wal_size=256MB
)
server pg_ctl start --pgdata="$directory/data" --log="$directory/server.log" --silent --wait \
    --options="${options[*]}" || { cat "$directory/server.log" >&2; exit 1; }

POSTGRES="postgresql:///postgres?host=$directory&user=varde" "$@"
