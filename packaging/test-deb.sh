#!/usr/bin/env bash
# Installs, starts, reloads, upgrades, removes and purges the package on a clean Debian root, as
# debian-root.sh makes it: test-deb.sh OLDER.deb NEWER.deb ROOT
#
# The root has no running systemd: the script starts what the unit names, as its user, with a socket for
# notifications. walk.py tests the unit with systemd.
set -euo pipefail
older=$(realpath "$1") newer=$(realpath "$2") root=$(realpath "$3")
work=$(mktemp -d)
hub= listener=
end() {
    [ -z "$hub" ] || kill "$hub" 2>/dev/null || true
    [ -z "$listener" ] || kill "$listener" 2>/dev/null || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap end EXIT
say() { echo "package: $*"; }

mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cp "$older" "$root/older.deb"
cp "$newer" "$root/newer.deb"
inside() { DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" "$@"; }
package() { inside apt-get -qq -o Dpkg::Use-Pty=0 --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }; }

# Runs the commands of the unit as the service's user would.
start() {
    rm -f "$root/notify"
    python3 - "$root/notify" "$work/states" <<'PYTHON' &
import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
with open(sys.argv[2], "w", buffering=1) as file:
    while True:
        state = listener.recv(4096).decode()
        file.write(state)
        if "STOPPING=1" in state:
            break
PYTHON
    listener=$!
    until [ -S "$root/notify" ]; do :; done
    set -a
    # shellcheck disable=SC1091
    . "$root/etc/varde/varde.env"
    set +a
    key=$VARDE_API_KEY
    NOTIFY_SOCKET=/notify chroot --userspec=varde:varde "$root" /bin/sh -c \
        'cd /var/lib/varde && exec /usr/bin/varde serve --config /etc/varde/varde.yaml' 2>>"$work/hub.log" &
    hub=$!
    wait_for 'READY=1'
}
wait_for() {
    for _ in $(seq 200); do
        grep -q "$1" "$work/states" && return
        kill -0 "$hub" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/hub.log" "$work/states" >&2
    echo "no $1" >&2
    exit 1
}
stop() {
    kill -TERM "$hub"
    wait "$hub"
    kill "$listener" 2>/dev/null || true
    hub= listener=
}
publish() {
    curl --silent --fail --header "X-API-Key: $key" --header 'Content-Type: application/json' \
        --data '{"channel":"events:test","data":{"n":1}}' http://127.0.0.1:8000/api/publish
}

package install /older.deb
inside varde check-config --config /etc/varde/varde.yaml >/dev/null 2>&1 ||
    { set -a; . "$root/etc/varde/varde.env"; set +a; inside varde check-config --config /etc/varde/varde.yaml; }
[ "$(stat -c '%a %U' "$root/etc/varde/varde.env")" = '600 root' ]
secrets=$(sha256sum "$root/etc/varde/varde.env")
start
publish | grep -q '"offset":1'
say "installed and started"
sed -i '1i log_level: debug' "$root/etc/varde/varde.yaml"
kill -HUP "$hub"
wait_for 'configuration reloaded'
say "reloaded"
stop
package install -o Dpkg::Options::=--force-confdef /newer.deb
[ "$(inside dpkg-query -Wf '${Version}' varde)" = "$(dpkg-deb -f "$newer" Version)" ]
[ "$secrets" = "$(sha256sum "$root/etc/varde/varde.env")" ]
grep -q '^log_level: debug' "$root/etc/varde/varde.yaml"
: >"$work/states"
start
publish | grep -q '"offset":2'
say "upgraded, with its data, secrets and configuration"
stop
package remove varde
[ ! -e "$root/usr/bin/varde" ] && [ -s "$root/var/lib/varde/varde.sqlite" ]
[ -e "$root/etc/varde/varde.yaml" ]
say "removed; data and configuration are left"
package purge varde
[ ! -e "$root/var/lib/varde" ] && [ ! -e "$root/etc/varde" ]
say "purged"
