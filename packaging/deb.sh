#!/usr/bin/env bash
# Makes a Debian package of a built binary: deb.sh VERSION BINARY DIRECTORY
#
# Takes shell completions from .build/completions and man pages from .build/man: `make completions man`.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 binary=$2 directory=$3
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

install -D -m 755 "$binary" "$root/usr/bin/varde"
strip --strip-unneeded "$root/usr/bin/varde"
install -D -m 644 packaging/systemd/varde.service "$root/lib/systemd/system/varde.service"
install -D -m 644 packaging/systemd/varde.socket "$root/usr/share/doc/varde/examples/varde.socket"
install -D -m 644 packaging/systemd/sysusers.conf "$root/usr/lib/sysusers.d/varde.conf"
install -D -m 644 packaging/systemd/tmpfiles.conf "$root/usr/lib/tmpfiles.d/varde.conf"
install -D -m 644 packaging/varde.yaml "$root/etc/varde/varde.yaml"
install -D -m 644 packaging/debian/copyright "$root/usr/share/doc/varde/copyright"
install -D -m 644 packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/varde"
gzip -9n <THIRD-PARTY-NOTICES >"$root/usr/share/doc/varde/THIRD-PARTY-NOTICES.gz"
gzip -9n <CHANGELOG.md >"$root/usr/share/doc/varde/changelog.gz"
shell=.build/completions
install -D -m 644 $shell/varde.bash "$root/usr/share/bash-completion/completions/varde"
install -D -m 644 $shell/_varde "$root/usr/share/zsh/vendor-completions/_varde"
install -D -m 644 $shell/varde.fish "$root/usr/share/fish/vendor_completions.d/varde.fish"
mkdir -p "$root/usr/share/man/man1"
for page in .build/man/*.1; do
    gzip -9n <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"
done

mkdir "$root/DEBIAN"
install -m 755 packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN/"
echo /etc/varde/varde.yaml >"$root/DEBIAN/conffiles"
{
    printf 'varde (%s-1) unstable; urgency=medium\n\n' "$version"
    printf '  * Release %s: see changelog.gz.\n\n' "$version"
    printf ' -- the Varde authors <varde@example.org>  %s\n' "$(date -R -d @"${SOURCE_DATE_EPOCH:-$(date +%s)}")"
} | gzip -9n >"$root/usr/share/doc/varde/changelog.Debian.gz"

# The versions of the system's libraries follow from the symbols that the binary uses.
work=$(mktemp -d)
mkdir "$work/debian"
printf 'Source: varde\n\nPackage: varde\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/varde" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
rm -rf "$work"
sed -e "s/@VERSION@/$version-1/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@LIBRARIES@/$libraries/" \
    -e "s/@SIZE@/$(du -sk --exclude DEBIAN "$root" | cut -f1)/" packaging/debian/control.in >"$root/DEBIAN/control"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN"/{conffiles,control,md5sums}
mkdir -p "$directory"
dpkg-deb --build --root-owner-group -Z"${COMPRESSION:-xz}" "$root" "$directory/varde_$version-1_$architecture.deb" >/dev/null
echo "$directory/varde_$version-1_$architecture.deb"
