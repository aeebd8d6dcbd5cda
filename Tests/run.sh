#!/usr/bin/env bash
# Builds the tests and runs them, or only those that a regular expression matches: Tests/run.sh [FILTER].
# It is matched against names such as AuroraAppTests.AuroraServiceTests/storesAnAlert().
# BUILD_FLAGS are further flags of the build.
# WITHOUT_PURE=1 leaves out the test targets that share nothing between threads: Tests/pure-targets.py.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
filter=${1:-}

# Their requests have deadlines, which hold only while the test has processor time: not beside thousands of others.
by_itself=UpstreamTests

# Their stores are in files, and then in PostgreSQL.
on_both_engines='StoreTests|ActivityAppTests|AlertingTests|AuroraAppTests|DomainKitTests|NewsAppTests|OutboxTests|RadarAppTests'

# A few at a time: all at once they come so slowly on a busy machine that the deadlines of the hub itself
# end connections.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4

# The test targets of Package.swift, a line each.
test_targets() {
    sed --quiet --regexp-extended -e '/hasTests: false/d' \
        -e '/testTarget\(/,/path:/ s/.*name: "(\w+)".*/\1/p' \
        -e 's/.*testTarget\(name: "(\w+)".*/\1/p' \
        -e '/Module\(/,/folder:/ s/.*name: "(\w+)".*/\1Tests/p' Package.swift
}

output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Thousands of lines can follow the one that says what failed, so failures are printed again at the end.
tests() {
    local status=0
    Tests/postgres.sh Tests/own-network.sh "$swift" test --disable-xctest --skip-build "$@" 2>&1 \
        | tee --append "$output" || status=$?
    if [ "$status" -ne 0 ]; then
        { echo "failed:" && grep --text 'recorded an issue\|^error:\|Fatal error' "$output"; } >&2 || true
    fi
    return "$status"
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
    WITHOUT_RING=1 STORED_HISTORIES=1 tests --filter '^(ReactorTests|ShardsTests)\.'
    STORE=postgres tests --filter "^($on_both_engines)\\."
    exit
fi

# Several --filter options select what any of them matches, so the second run skips the tests of the first.
tests --filter "$filter" --skip "$by_itself"
tests --filter "$filter" --skip "^(?!.*$by_itself)"
if [[ $target =~ ^($on_both_engines)$ ]]; then STORE=postgres tests --filter "$filter"; fi
# Swift Testing runs no test without an error.
if ! grep --quiet 'Test run with [1-9][0-9]* test' "$output"; then
    echo "no test matches FILTER=$filter; \`swift test list --skip-build\` lists all names" >&2
    exit 1
fi
