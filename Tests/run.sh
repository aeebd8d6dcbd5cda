#!/usr/bin/env bash
# Builds the tests and runs them, or only those that a regular expression matches: Tests/run.sh [FILTER].
# It is matched against names such as AuroraAppTests.AuroraServiceTests/storesAnAlert().
# BUILD_FLAGS are further flags of the build.
# AGAIN=3 forgives tests that fail once and then pass three times by themselves.
# WITHOUT_PURE=1 leaves out the test targets that share nothing between threads: Tests/pure-targets.py.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
filter=${1:-}

# Their requests have deadlines, which hold only while the test has processor time: not beside thousands of others.
by_itself=UpstreamTests

# Their stores are in files, and then in PostgreSQL.
on_both_engines='StoreTests|ActivityAppTests|AuroraAppTests|DomainKitTests|DutiesTests|LifecycleTests|NewsAppTests|RadarAppTests'

# A few at a time: all at once they come so slowly on a busy machine that the deadlines of the hub itself
# end connections.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4

# The lines of the output are compared below.
export NO_COLOR=1

# The test targets of Package.swift, a line each.
test_targets() {
    "$swift" package dump-package | python3 -c 'import json, sys
for target in json.load(sys.stdin)["targets"]:
    if target["type"] == "test": print(target["name"])'
}

# Of all runs, and of the last one.
outputs=$(mktemp)
output=$(mktemp)
forgiven=$(mktemp)
trap 'rm -f "$outputs" "$output" "$forgiven"' EXIT

run_tests() {
    Tests/postgres.sh Tests/own-network.sh .build/debug/vardePackageTests.xctest --testing-library swift-testing "$@" 2>&1 \
        | tee "$output" | tee --append "$outputs"
}

# Thousands of lines can follow the one that says what failed, so failures are printed again at the end.
tests() {
    local status=0
    run_tests "$@" || status=$?
    if [ "$status" -ne 0 ]; then
        { echo "failed:" && grep --text 'recorded an issue\|^error:\|Fatal error' "$output"; } >&2 || true
        pass_again && status=0
    fi
    return "$status"
}

# Whether the tests that failed pass AGAIN times by themselves: not more than three, and not if the process ended
# before the others. As for acceptance tests, a machine that is busy does not decide whether a change is good.
pass_again() {
    local failed names
    grep --quiet --text '^✘ Test run with' "$output" || return 1
    mapfile -t failed < <(sed --quiet --regexp-extended 's/^✘ Test (\w+)\(.*\) .*failed after .*/\1/p' "$output" | sort -u)
    if [ "${AGAIN:-0}" -eq 0 ] || [ "${#failed[@]}" -eq 0 ] || [ "${#failed[@]}" -gt 3 ]; then return 1; fi
    names=$(IFS='|' && echo "${failed[*]}")
    for _ in $(seq "$AGAIN"); do
        run_tests --filter "[./]($names)\\(" || return 1
        grep --quiet --text 'Test run with [1-9][0-9]* test' "$output" || return 1
    done
    printf '%s\n' "${failed[@]}" >>"$forgiven"
}

report_forgiven() {
    [ -s "$forgiven" ] || return 0
    { echo "tests: failed once, then passed $AGAIN times by themselves:" && cat "$forgiven"; } >&2
}

# A filter that begins with a test target needs only that target: Package.swift leaves out the others.
target=${filter%%[!A-Za-z]*}
if [[ $target == *Tests ]] && grep --quiet --line-regexp "$target" <(test_targets); then
    export VARDE_TESTS=$target
    echo "building only $target"
fi
# shellcheck disable=SC2086  # several flags
"$swift" build --build-tests --disable-xctest ${BUILD_FLAGS:-}

if [ -z "$filter" ]; then
    left_out=$by_itself
    if [ -n "${WITHOUT_PURE:-}" ]; then
        pure=$("$swift" package dump-package | python3 Tests/pure-targets.py)
        left_out="$by_itself|^(${pure//$'\n'/|})\\."
    fi
    tests --skip "$left_out"
    tests --filter "$by_itself"
    # The loops once more: they send by epoll, and no history stays in memory.
    WITHOUT_RING=1 STORED_HISTORIES=1 tests --filter '^(ReactorTests|LoopsTests)\.'
    STORE=postgres tests --filter "^($on_both_engines)\\."
    report_forgiven
    exit
fi

# Several --filter options select what any of them matches, so the second run skips the tests of the first.
tests --filter "$filter" --skip "$by_itself"
tests --filter "$filter" --skip "^(?!.*$by_itself)"
if [[ $target =~ ^($on_both_engines)$ ]]; then STORE=postgres tests --filter "$filter"; fi
report_forgiven
# Swift Testing runs no test without an error.
if ! grep --quiet 'Test run with [1-9][0-9]* test' "$outputs"; then
    echo "no test matches FILTER=$filter; \`swift test list --skip-build\` lists all names" >&2
    exit 1
fi
