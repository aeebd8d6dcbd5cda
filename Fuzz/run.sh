#!/usr/bin/env bash
# Fuzzes each target for some seconds, and fails when one finds something.
#
# usage: Fuzz/run.sh SECONDS [TARGET]...    without targets: all of them, one after the other
#
# A finding is left in .build-fuzz/found/TARGET/. Fix it, and commit the file to Corpus/TARGET
# under a name that says what it was: `make test` replays that folder. What the fuzzer learned stays
# in .build-fuzz/corpus/TARGET and the next run begins with it. JOBS fuzzes so many targets at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
shift
scratch=.build-fuzz
program=$scratch/release/varde-fuzz

VARDE_FUZZ=1 "${SWIFT:-swift}" build -c release --scratch-path $scratch --product varde-fuzz

# Swift's own backtraces get in the way of the sanitizer's.
export SWIFT_BACKTRACE=enable=no
export LSAN_OPTIONS=suppressions=Fuzz/leaks.supp:print_suppressions=0
# Above the few hundred MB that AddressSanitizer's shadow and quarantine take.
memory_megabytes=1024
# An input takes well under a millisecond, a whole aurora grid some tens of them.
input_seconds=10
at_a_time=${JOBS:-1}

list=$($program --list)
names=$(cut -d ' ' -f 1 <<<"$list" | xargs)
# Prints what it found, if anything, and then fails.
fuzz() {
    local name length_max dictionary seeds words corpus found input
    read -r name length_max dictionary < <(grep "^$1 " <<<"$list")
    # Those of a domain are in its folder.
    seeds=$(ls -d "Fuzz/Corpus/$name" Sources/Domains/*/Fuzz/Corpus/"$name" 2>/dev/null || true)
    words=$(ls "Fuzz/Dictionaries/$dictionary.dict" \
        Sources/Domains/*/Fuzz/Dictionaries/"$dictionary.dict" 2>/dev/null || true)
    corpus=$scratch/corpus/$name
    found=$scratch/found/$name
    mkdir -p "$corpus" "$found"
    if "$program" "$name" -max_total_time="$seconds" -max_len="$length_max" \
        -dict="$words" -timeout=$input_seconds \
        -rss_limit_mb=$memory_megabytes -artifact_prefix="$found/" -print_final_stats=1 \
        "$corpus" "$seeds" >"$scratch/$name.log" 2>&1; then
        echo "fuzzed $name for $seconds s:" \
            "$(grep --text -E '^(Done|stat::(average_exec|peak_rss))' "$scratch/$name.log" | xargs)"
        return
    fi
    grep --text --extended-regexp 'Fatal error|ERROR|SUMMARY|Test unit written' \
        "$scratch/$name.log" || tail -n 20 "$scratch/$name.log"
    input=$found/$(ls -t "$found" | head -n 1)
    echo "found by $name: $input"
    echo "again: SWIFT_BACKTRACE=enable=no $program $name $input"
    return 1
}

# shellcheck disable=SC2206  # names have no spaces
targets=(${*:-$names})
for target in "${targets[@]}"; do
    grep --quiet "^$target " <<<"$list" || {
        echo "no target $target; there are: $names" >&2
        exit 2
    }
done

failures=$scratch/failures
rm -f "$failures"
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$at_a_time" ]; do wait -n || true; done
    { fuzz "$target" || echo "$target" >>"$failures"; } &
done
wait
[ ! -e "$failures" ] || { echo "findings in: $(xargs <"$failures")" >&2; exit 1; }
