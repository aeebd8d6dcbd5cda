#!/usr/bin/env bash
# Runs the hub beside its peers and writes docs/BENCHMARKS.md. Arguments go to bench.py:
#
#   loadtest/bench/run.sh --rounds 1 --seconds 1 --only fanout --output /tmp/look.md
#   VARDE=/elsewhere/varde loadtest/bench/run.sh            another binary
set -euo pipefail
cd "$(dirname "$0")/../.."

export VARDE=${VARDE:-.build/release/varde}
export VARDE_LOAD=${VARDE_LOAD:-.build/release/varde-load}
export BENCH_WORK=${BENCH_WORK:-.build/bench}
for binary in "$VARDE" "$VARDE_LOAD"; do
    if [ ! -x "$binary" ]; then
        echo "no binary at $binary: run 'make build' first" >&2
        exit 1
    fi
done
mkdir -p "$BENCH_WORK"

# Each on its own: one that cannot be had must not keep the others away. The report names what is missing.
packages=(gcc libssl-dev python3-venv openssl nginx libnginx-mod-nchan nats-server nodejs node-ws)
[ "$(id -u)" -eq 0 ] && as_root=() || as_root=(sudo --non-interactive)
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null \
        | grep --quiet 'install ok installed' && continue
    # Those of another source will do; installing over them could take them away.
    [ "$package" = nginx ] && [ -x /usr/sbin/nginx ] && continue
    [ "$package" = nodejs ] && command -v node >/dev/null && continue
    echo "installing $package"
    if [ -z "${is_updated:-}" ]; then
        "${as_root[@]}" apt-get update --quiet --quiet || true
        is_updated=yes
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install --yes --no-install-recommends --quiet --quiet "$package" >/dev/null \
        || echo "cannot install $package" >&2
done

requirements=loadtest/bench/requirements.txt
if ! cmp --silent "$requirements" "$BENCH_WORK/venv/requirements.txt"; then
    rm -rf "$BENCH_WORK/venv"
    python3 -m venv "$BENCH_WORK/venv" \
        && "$BENCH_WORK/venv/bin/pip" install --quiet --disable-pip-version-check \
            --requirement "$requirements" \
        && cp "$requirements" "$BENCH_WORK/venv/requirements.txt" \
        || echo "cannot install the Python packages of $requirements" >&2
fi

gcc -O2 -Wall -Wextra -o "$BENCH_WORK/floor" loadtest/floor/floor.c -lcrypto

# As many descriptors as the system allows: 18,000 connections need one each.
ulimit -n "$(ulimit -H -n)"
exec python3 loadtest/bench/bench.py "$@"
