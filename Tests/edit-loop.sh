#!/bin/bash
# edit-loop.sh FILE FILTER: the time from a change of one line in a source file to the result of the tests that
# FILTER names (see CONTRIBUTING.md), in seconds. The change is a new function that other files can see; it is taken
# back afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
file=$1 filter=$2
git diff --quiet -- "$file" || { echo "$file has changes" >&2; exit 1; }
trap 'git checkout --quiet -- "$file"' EXIT
run() { make test FILTER="$filter" >/dev/null; }
run # Builds what is not the loop's.
echo "package func editLoop() -> Int { $RANDOM }" >>"$file"
start=$(date +%s.%N)
run
end=$(date +%s.%N)
awk -v s="$start" -v e="$end" -v f="$file" 'BEGIN { printf "%s: %.1f s\n", f, e - s }'
