#!/usr/bin/env bash
# Counts what one delivery of a fan-out takes in user space: instructions, and calls of what the hot path
# must not do for each of them. Under valgrind, so the counts do not depend on what else the machine does.
#
#   loadtest/bench/instructions.sh [SUBSCRIBERS]      after 'make build'; needs valgrind, curl, binutils
set -euo pipefail
cd "$(dirname "$0")/../.."

subscribers=${1:-1000}
port=${PORT:-8971}
work=$(mktemp --directory)
pids=()
stop_all() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap stop_all EXIT

for tool in valgrind curl strip python3; do
    command -v "$tool" >/dev/null || { echo "missing: $tool" >&2; exit 2; }
done

# Valgrind cannot read the debug information of this compiler; names are enough.
strip --strip-debug -o "$work/varde" .build/release/varde
cat >"$work/varde.yaml" <<YAML
listen: ["127.0.0.1:$port"]
database: $work/varde.sqlite
loops: 1
log_level: error
namespaces:
  - {name: bench, anonymous_subscribe: true, publish: anyone, history_size: 1000}
YAML
valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$work/out" \
    "$work/varde" serve --config "$work/varde.yaml" 2>/dev/null &
hub=$!
pids+=("$hub")
for _ in {1..120}; do
    curl --silent --output /dev/null "http://127.0.0.1:$port/livez" && break
    sleep 0.5
done
.build/release/varde-load fanout --url "ws://127.0.0.1:$port" --channel bench:1 --quiet \
    --subscribers "$subscribers" --opening 16 --warm-up 8 --duration 25 >/dev/null &
pids+=("$!")

delivered() {
    curl --silent "http://127.0.0.1:$port/metrics" |
        awk '$1 == "hub_messages_delivered_total" { print $2 }'
}
sleep 14
before=$(delivered)
callgrind_control --instr=on "$hub" >/dev/null 2>&1
sleep 10
callgrind_control --instr=off "$hub" >/dev/null 2>&1
after=$(delivered)
kill "$hub"
wait "$hub" || true

python3 loadtest/bench/instructions.py "$work/out" $((after - before)) "$subscribers"
