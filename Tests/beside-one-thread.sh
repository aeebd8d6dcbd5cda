#!/usr/bin/env bash
# Runs `make test-one-thread`, and meanwhile a command on the other processors: beside-one-thread.sh COMMAND...
# With one processor, the command runs after the tests. Fails if one of the two fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# Each processor by itself: 0-2,5 is 0 1 2 5.
processors=()
for range in $(taskset --cpu-list --pid $$ | sed 's/.*: *//; s/,/ /g'); do
    mapfile -t -O "${#processors[@]}" processors < <(seq "${range%-*}" "${range#*-}")
done
if [ "${#processors[@]}" -eq 1 ]; then
    make test-one-thread
    exec "$@"
fi

# The tests take the first one.
others=$(IFS=, && echo "${processors[*]:1}")
output=$(mktemp)
trap 'rm -f "$output"' EXIT
taskset --cpu-list "$others" "$@" >"$output" 2>&1 &
command=$!
status=0
make test-one-thread || status=$?
# The command may use all processors now.
all=$(IFS=, && echo "${processors[*]}")
for process in $(pgrep --pgroup 0); do
    taskset --all-tasks --cpu-list --pid "$all" "$process" >/dev/null 2>&1 || true
done
wait "$command" || { status=$?; echo "failed with status $status: $*" >&2; }
cat "$output"
exit "$status"
