#!/usr/bin/env bash
# Measures stories in a release build: Tests/NewsEvaluation/stories.sh FILE [search].
# FILE has articles with labels in the format of the UCI News Aggregator data set. With "search", many
# parameters are compared on the half of the labels that is for tuning.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
VARDE_STORY_FILE=$(realpath "${1:?path of a labelled file}")
export VARDE_STORY_FILE VARDE_TESTS=NewsTests
if [ "${2:-}" = search ]; then export VARDE_STORY_SEARCH=1; fi

flags=(-c release --disable-xctest -Xswiftc -enable-testing)
"$swift" build --build-tests "${flags[@]}"
"$swift" test --skip-build "${flags[@]}" --no-parallel --filter 'StoryFileEvaluationTests|StorySpeedTests'
