#!/usr/bin/env bash
# Unpacks NVIDIA's own libcuda and libcudart, as Debian's non-free component
# ships them, so that the loader is tested against real files on a machine
# without a GPU. Nothing is installed and the system's apt state stays as it
# is: everything happens in a temporary apt configuration made from the
# machine's own sources, with the component added.
#
#   scripts/fetch-nvidia-libs.sh DEST
#
# On success the last two lines of output are environment settings:
#   RMM_TEST_LIBCUDA=DEST/…/libcuda.so.1
#   RMM_TEST_LIBCUDART=DEST/…/libcudart.so.11.0
set -euo pipefail

packages=(libcuda1 libcudart11.0)

fail() { echo "fetch-nvidia-libs: $*" >&2; exit 1; }

[[ $# -eq 1 ]] || fail "usage: $0 DEST"
for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || fail "$tool is missing: this script needs a Debian machine"
done
mkdir -p "$1"
dest=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Debian's own entries only: another vendor's source has no such component.
mkdir -p "$tmp"/{lists/partial,cache/archives/partial,parts,trusted}
if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
  sed -E 's/^(Components:.*)$/\1 non-free/' /etc/apt/sources.list.d/debian.sources >"$tmp/parts/debian.sources"
fi
: >"$tmp/sources.list"
if [[ -f /etc/apt/sources.list ]]; then
  sed -nE 's/^(deb [^#]*\bmain\b).*$/\1 non-free/p' /etc/apt/sources.list >"$tmp/sources.list"
fi
[[ -s $tmp/sources.list || -s $tmp/parts/debian.sources ]] ||
  fail "found no Debian source in /etc/apt: add one, or set RMM_TEST_LIBCUDA and RMM_TEST_LIBCUDART by hand"

apt() {
  apt-get -qq \
    -o Dir::Etc::SourceList="$tmp/sources.list" -o Dir::Etc::SourceParts="$tmp/parts" \
    -o Dir::State::Lists="$tmp/lists" -o Dir::Cache="$tmp/cache" \
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@"
}

apt update >&2 || fail "apt-get update failed: is the package mirror reachable?"
(cd "$tmp" && apt download "${packages[@]}" >&2) || fail "could not download ${packages[*]}"
for deb in "$tmp"/*.deb; do dpkg-deb -x "$deb" "$dest"; done

find_one() {
  local path
  path=$(find "$dest" -name "$1" -print -quit)
  [[ -n $path ]] || fail "no $1 in the packages ${packages[*]}"
  echo "$path"
}
libcuda=$(find_one libcuda.so.1)
libcudart=$(find_one libcudart.so.11.0)
echo "RMM_TEST_LIBCUDA=$libcuda"
echo "RMM_TEST_LIBCUDART=$libcudart"
