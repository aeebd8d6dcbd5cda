#!/usr/bin/env bash
# Makes .venv, the Python of the tests, from Tests/Acceptance/requirements.txt, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/Acceptance/requirements.txt

./setup.sh acceptance
if ! cmp --silent "$requirements" .venv/requirements.txt; then
    rm -rf .venv
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$requirements"
    cp "$requirements" .venv/requirements.txt
fi
