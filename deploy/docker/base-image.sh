#!/usr/bin/env bash
# base-image.sh python|postgres FOLDER: a Debian root with Python 3.11, or with Postgres 18 and pgvector, as a tar on standard
# output. For machines without a registry; needs root, debootstrap and Debian's mirror.
set -euo pipefail
kind=$1 folder=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
case $kind in
  python) suite=bookworm packages=ca-certificates,python3.11-minimal,libpython3.11-stdlib ;;
  # trixie's and bookworm's are older than 18
  postgres) suite=sid packages=postgresql-18,postgresql-18-pgvector ;;
  *) echo "base-image.sh: $kind is neither python nor postgres" >&2; exit 2 ;;
esac
mkdir -p "$folder/debs"
trap 'rm -rf "$folder/root"' EXIT
rm -rf "$folder/root"
make_root() {
  debootstrap "$@" --variant=minbase --cache-dir="$(realpath "$folder/debs")" --include="$packages" "$suite" "$folder/root" "$mirror" \
    >"$folder/$kind.log" 2>&1 \
    || { echo "base-image.sh: debootstrap failed; the last lines of $folder/$kind.log:" >&2; tail -n 5 "$folder/$kind.log" >&2; exit 1; }
}
if [ "$kind" = python ]; then
  make_root
else
  # unpacked, not configured: that takes minutes, and would make a cluster that nobody wants
  make_root --foreign
  for deb in "$folder/root"/var/cache/apt/archives/*.deb; do
    dpkg-deb --extract "$deb" "$folder/root"
  done
  rm -rf "$folder/root/debootstrap"
  cp "$folder/root/usr/share/base-passwd/passwd.master" "$folder/root/etc/passwd"
  cp "$folder/root/usr/share/base-passwd/group.master" "$folder/root/etc/group"
  chroot "$folder/root" ldconfig
fi
rm -rf "$folder/root"/var/cache/apt/* "$folder/root"/var/lib/apt/lists/* "$folder/root"/usr/share/{doc,man,locale}/* \
  "$folder/root"/var/log/*.log "$folder/root"/etc/hostname "$folder/root"/etc/resolv.conf
tar --numeric-owner -C "$folder/root" -c .
