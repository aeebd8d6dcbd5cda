#!/usr/bin/env bash
# Tests the packages of `make package`: test.sh VERSION BINARY DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 binary=$2 directory=$3
deb=$directory/varde_$version-1_$(dpkg --print-architecture).deb

if command -v systemd-analyze >/dev/null; then
    systemd-analyze security --offline=true --threshold=20 packaging/systemd/varde.service >/dev/null
    echo "unit: the exposure is below 2.0"
else
    echo "skipped: the test of the unit needs systemd-analyze"
fi
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$deb"
    echo "package: lintian has no error and no warning"
else
    echo "skipped: the check of the package needs lintian"
fi
# An older version of the same files, from which the package is an upgrade.
older=$(mktemp -d)
trap 'rm -rf --one-file-system "$older"' EXIT
COMPRESSION=gzip packaging/deb.sh 0.0.1 "$binary" "$older" >/dev/null
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
    echo "skipped: the tests of the Debian package need root and mmdebstrap"
elif ! packaging/debian-root.sh "$older/root"; then
    echo "skipped: the tests of the Debian package need a mirror of Debian"
else
    cp --archive "$older/root" "$older/machine"
    packaging/test-deb.sh "$older"/*.deb "$deb" "$older/root"
    packaging/walk.py "$deb" "$older/machine"
fi
packaging/test-oci.py "$directory/varde-$version-oci-$(uname -m).tar"
name=varde-$version-linux-$(uname -m)
tar --extract --file "$directory/$name.tar.gz" --directory "$older"
"$older/$name/bin/varde" check-config --config "$older/$name/etc/varde.yaml" >/dev/null
echo "tarball: unpacked; the binary accepts its configuration"
