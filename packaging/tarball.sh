#!/usr/bin/env bash
# Makes a tarball of a built binary, for systems without dpkg: tarball.sh VERSION BINARY DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 binary=$2 directory=$3
name=varde-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
install -D -m 755 "$binary" "$root/bin/varde"
strip --strip-unneeded "$root/bin/varde"
install -D -m 644 packaging/varde.yaml "$root/etc/varde.yaml"
install -m 644 -D -t "$root/systemd" packaging/systemd/*
install -m 644 -t "$root" README.md LICENSE THIRD-PARTY-NOTICES CHANGELOG.md
for folder in completions man; do
    if [ -d ".build/$folder" ]; then cp -r ".build/$folder" "$root/$folder"; fi
done
mkdir -p "$directory"
tar --create --gzip --file "$directory/$name.tar.gz" --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner "$name"
echo "$directory/$name.tar.gz"
