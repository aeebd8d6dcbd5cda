#!/usr/bin/env bash
# Makes a static site of all Markdown pages in .build/site. A link or an anchor that leads nowhere fails it.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=site/requirements.txt
environment=.build/site-python
if ! cmp --silent $requirements $environment/requirements.txt; then
    ./setup.sh site
    rm -rf $environment
    python3 -m venv $environment
    $environment/bin/pip install --quiet --disable-pip-version-check --requirement $requirements
    cp $requirements $environment/requirements.txt
fi

python3 site/stage.py .build/site-source/pages
{
    cat site/mkdocs.yml
    echo 'docs_dir: pages'
    echo "site_dir: $PWD/.build/site"
    printf 'nav: '
    python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["nav"], sys.stdout)' <.build/site-source/navigation.json
} >.build/site-source/mkdocs.yml
# Without --quiet, with which --strict ignores warnings.
log=.build/site-source/log
if ! NO_MKDOCS_2_WARNING=1 $environment/bin/mkdocs build --strict --clean \
    --config-file .build/site-source/mkdocs.yml >$log 2>&1; then
    grep --invert-match '^INFO' $log >&2
    exit 1
fi

# The pages have to work without a network.
if grep --recursive --files-with-matches --extended-regexp \
    '<(script|link|img)[^>]* (src|href)="https?://' --include='*.html' .build/site |
    xargs --no-run-if-empty grep --extended-regexp --only-matching \
        '<(script|img)[^>]* src="https?://[^"]*"|<link[^>]*rel="(stylesheet|preload)"[^>]*href="https?://[^"]*"' >&2; then
    echo "site: a page loads something from another server" >&2
    exit 1
fi
echo "site: .build/site/index.html"
