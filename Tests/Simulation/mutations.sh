#!/usr/bin/env bash
# Puts bugs into a copy of the sources, one at a time, and has the simulation find each of them.
#
#   Tests/Simulation/mutations.sh                  every patch of Tests/Simulation/mutations
#   Tests/Simulation/mutations.sh NAME...          some of them, by the name of the patch
#   SEEDS=50 Tests/Simulation/mutations.sh         so many seeds at most for each
#   Tests/Simulation/mutations.sh check            only checks that each patch can be applied
#   TREE=../copy Tests/Simulation/mutations.sh     a copy that is there already, with what was built in it
#
# The patches cluster-*.patch are looked for in the worlds of several nodes.
#
# Fails when a bug is not found. docs/SIMULATION.md shows a run.
set -euo pipefail
cd "$(dirname "$0")/../.."

patches=$PWD/Tests/Simulation/mutations
if [ "${1:-}" = check ]; then
    failed=0
    for patch in "$patches"/*.patch; do
        git apply --check "$patch" || failed=1
    done
    exit "$failed"
fi

seeds=${SEEDS:-200}
tree=${TREE:-}
if [ -z "$tree" ]; then
    tree=$PWD/.build-mutations
    mkdir -p "$tree"
    rm -rf "$tree/Sources" "$tree/Tests"
    # With their times, so that a second run builds only what has changed.
    tar --create --format=posix --exclude='.build*' --exclude=.git --exclude=.venv . | tar --extract --directory "$tree"
fi

# The copy is a repository of nobody: patches apply to it, not to the one around it.
apply() { GIT_CEILING_DIRECTORIES=$(dirname "$tree") git -C "$tree" apply "$@"; }

applied=
undo() { [ -z "$applied" ] || apply --reverse "$applied"; applied=; }
trap undo EXIT

names=("$@")
[ ${#names[@]} -gt 0 ] || names=($(cd "$patches" && ls -- *.patch))
missed=()
for name in "${names[@]}"; do
    name=${name%.patch}
    apply "$patches/$name.patch"
    applied=$patches/$name.patch
    "${SWIFT:-swift}" build --package-path "$tree" --product simulate >"$tree/.mutation.log" 2>&1 || {
        cat "$tree/.mutation.log"
        echo "$name: does not build" >&2
        exit 1
    }
    # One that traps tells its seed as the name of the thread that crashed.
    kind=()
    [[ $name != cluster-* ]] || kind=(cluster)
    if found=$("$tree/.build/debug/simulate" "${kind[@]}" 1 "$seeds" 2>&1); then
        echo "$name: not found by $seeds seeds"
        missed+=("$name")
    else
        echo "$name: $(grep --max-count=1 --extended-regexp '^seed |Fatal error|^Thread .*crashed' <<<"$found")"
    fi
    rm -f "$tree/.mutation.log"
    undo
done
[ ${#missed[@]} -eq 0 ]
