#!/usr/bin/env bash
# Runs a command in a network of its own, which has loopback and nothing else: no test of attacks or of
# address guards can send a packet that leaves this machine, whatever is wrong with the guard. Its mounts
# are its own, too, where that is allowed: what a test mounts is gone with it. Only root may make either;
# otherwise it says so, and runs the command in the network that is there.
set -euo pipefail

if [ "$(id -u)" -eq 0 ] && unshare --net ip link set lo up 2>/dev/null; then
    export OWN_NETWORK=1
    if unshare --mount true 2>/dev/null; then
        export OWN_MOUNTS=1
        exec unshare --net --mount sh -c 'ip link set lo up && exec "$@"' own-network "$@"
    fi
    exec unshare --net sh -c 'ip link set lo up && exec "$@"' own-network "$@"
fi
echo "no network of its own for $1: that needs root, unshare and ip" >&2
exec "$@"
