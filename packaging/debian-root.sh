#!/usr/bin/env bash
# Makes a clean Debian root, with what the package and its tests install from Debian's mirror, so that they
# need no network: debian-root.sh DIRECTORY
set -euo pipefail
packages=ca-certificates,curl,dbus,init-system-helpers,libsqlite3-0,libssl3,libstdc++6,libxml2,openssl
packages+=,prometheus,sudo,systemd,systemd-sysv,tzdata,zlib1g
mmdebstrap --quiet --variant=apt --include=$packages bookworm "$1"
printf '127.0.0.1 localhost\n127.0.1.1 debian\n::1 localhost\n' >"$1/etc/hosts"
echo debian >"$1/etc/hostname"
# The tutorial installs it.
chroot "$1" systemctl --quiet disable prometheus.service
