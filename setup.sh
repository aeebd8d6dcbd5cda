#!/usr/bin/env bash
# Installs the Debian packages that the build needs, or says in one line which ones are missing.
set -euo pipefail

# The libraries of Package.swift: system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev").
libraries=$(sed -n 's/.*system(.*package: "\([a-z0-9.+-]*\)").*/\1/p' "$(dirname "$0")/Package.swift")
if [ -z "$libraries" ]; then
    echo "no libraries in Package.swift" >&2
    exit 1
fi
# GRDB needs SQLite. iproute2 is for tests, which run in a network of their own; tzdata has the time zones.
read -r -a packages <<<"$(xargs <<<"$libraries") libsqlite3-dev pkg-config iproute2 tzdata"
[[ "${1:-}" = acceptance || "${1:-}" = site ]] && packages+=(python3-venv curl openssl strace)
# Tests of web pages.
[ "${1:-}" = acceptance ] && packages+=(chromium)
# Servers that the client of outgoing requests is tested with. Their tests are skipped where they are missing.
[ "${1:-}" = servers ] && packages+=(nginx-light haproxy caddy nodejs squid)
# The server that tests of PostgreSQL start for themselves.
[[ "${1:-}" = postgres || "${1:-}" = acceptance ]] && packages+=(postgresql)
# The checks of the packages, and what boots a clean Debian root; checks are skipped where their tool is missing.
[ "${1:-}" = packages ] && packages+=(mmdebstrap lintian systemd util-linux iproute2)

missing=()
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null \
        | grep --quiet 'install ok installed' || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo --non-interactive true 2>/dev/null; then
            echo "missing Debian packages: run 'apt-get install ${missing[*]}' as root" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}"
    policy=/usr/sbin/policy-rc.d
    if [[ "${1:-}" = servers || "${1:-}" = postgres || "${1:-}" = acceptance ]] && [ ! -e $policy ]; then
        # The tests start servers of their own; the packages' services stay off (invoke-rc.d(8)).
        trap '"${as_root[@]}" rm -f $policy' EXIT
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
        "${as_root[@]}" chmod +x $policy
    fi
    "${as_root[@]}" apt-get update --quiet --quiet
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends --quiet --quiet "${missing[@]}" >/dev/null
fi

if ! command -v swift >/dev/null; then
    echo "missing the Swift toolchain, 6.2 or later: see https://www.swift.org/install" >&2
    exit 1
fi
