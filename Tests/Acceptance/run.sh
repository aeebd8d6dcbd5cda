#!/usr/bin/env bash
# Runs the release binary against real clients and real failures. Arguments go to pytest:
#
#   Tests/Acceptance/run.sh -k killed
#   VARDE=.build/debug/varde Tests/Acceptance/run.sh     another binary
#   SEED=7 Tests/Acceptance/run.sh -k killed             the random moments of an earlier run
#   SUBSCRIBERS=2000 KILLS=20 Tests/Acceptance/run.sh -k under_load
#   CLUSTER_SEEDS=20 CLUSTER_SECONDS=60 MINUTES=300 Tests/Acceptance/run.sh -k test_cluster
#   VARDE_BEFORE=/path/to/varde Tests/Acceptance/run.sh -k test_cluster_upgrade      from this version
#   ABUSE=full TESTS=Tests/Acceptance/abuse Tests/Acceptance/run.sh      attacks at full size
set -euo pipefail
cd "$(dirname "$0")/../.."

# Every wait in the tests has an end; this is for what nobody thought of.
minutes_max=${MINUTES:-30}
# They mostly wait.
workers=${WORKERS:-4}
# Domains have theirs in Tests/XApp/Acceptance.
read -r -a tests <<<"${TESTS:-$(ls -d Tests/Acceptance Tests/*/Acceptance 2>/dev/null | xargs)}"

export VARDE=${VARDE:-.build/release/varde}
if [ ! -x "$VARDE" ]; then
    echo "no binary at $VARDE: run 'make build' first" >&2
    exit 1
fi

Tests/python.sh
export PYTHONPATH=$PWD/Tests/Acceptance

begin=$(date +%s)
# run WORKERS ARGUMENT...: within what is left of the minutes.
run() {
    local seconds=$((minutes_max * 60 - $(date +%s) + begin))
    Tests/own-network.sh timeout --kill-after=30s "$((seconds > 1 ? seconds : 1))" \
        .venv/bin/python -m pytest --config-file=Tests/Acceptance/pytest.ini \
        -p harness.plugin --numprocesses="$1" "${tests[@]}" "${@:2}"
}

if [ "$#" -gt 0 ] || [ -n "${TESTS:-}" ]; then
    run "$workers" "$@"
    exit
fi
# Tests against a deadline come at the end, with the machine to themselves.
status=0
run "$workers" -m 'not alone' || status=$?
run 1 -m alone || status=$?
exit "$status"
