#!/usr/bin/env bash
# Holds the recommendations against popularity on your own copy of MovieLens, a folder with ratings.csv and
# movies.csv, and prints the figures of docs/RECOMMENDATIONS.md:
#
#   loadtest/bench/recommendations.sh ~/ml-latest-small
#   VARDE=/elsewhere/varde loadtest/bench/recommendations.sh ~/ml-latest-small
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: $0 DIR" >&2
    exit 2
fi
varde=${VARDE:-"$(dirname "$0")/../../.build/release/varde"}
if [ ! -x "$varde" ]; then
    echo "no binary at $varde: run 'make build' first" >&2
    exit 1
fi
for name in ratings.csv movies.csv; do
    if [ ! -r "$1/$name" ]; then
        echo "no $name in $1: download MovieLens and unpack it there" >&2
        exit 1
    fi
done
exec "$varde" recommend evaluate "$1"
