#!/usr/bin/env bash
# Checks the alert rules, their tests and the dashboard: `make check-observability`.
#
# promtool is $PROMTOOL, or the one in the PATH, or that of Debian's package `prometheus`, which is unpacked
# into .build/promtool. The package is not installed, because it would start a server.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "check-observability: $*" >&2
    exit 1
}

# Debian's name of the package that has promtool.
package=prometheus
unpacked=.build/promtool

find_promtool() {
    if [ -n "${PROMTOOL:-}" ]; then
        command -v "$PROMTOOL" || fail "PROMTOOL is $PROMTOOL, which is not a program"
    elif command -v promtool; then
        :
    elif [ -x "$unpacked/usr/bin/promtool" ]; then
        echo "$unpacked/usr/bin/promtool"
    else
        unpack >&2 || fail "no promtool: install it, or set PROMTOOL, or let apt-get download the package $package"
        echo "$unpacked/usr/bin/promtool"
    fi
}

unpack() {
    mkdir -p "$unpacked" || return
    echo "unpacking the Debian package $package into $unpacked"
    (cd "$unpacked" && timeout 300 apt-get download --quiet --quiet "$package") || return
    dpkg-deb --extract "$unpacked/$package"_*.deb "$unpacked" || return
    rm -f "$unpacked/$package"_*.deb
    [ -x "$unpacked/usr/bin/promtool" ]
}

python3 ops/tests.py
expressions=$(mktemp --suffix=.yml)
trap 'rm -f "$expressions"' EXIT
python3 ops/check.py --expressions "$expressions"

promtool=$(find_promtool)
"$promtool" check rules ops/prometheus/varde.rules.yml
"$promtool" check rules "$expressions"
"$promtool" test rules ops/prometheus/varde.test.yml
