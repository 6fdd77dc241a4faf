#!/usr/bin/env bash
# Packs everything a GPU machine needs to test this module without Go: every
# package's test binary, the command rmm and the test data, with a run.sh.
#
#   scripts/gpu-bundle.sh [--with FILE]... [OUT]
#
# OUT (default .gpu) is replaced. --with adds an allocation log that run.sh
# replays besides the tests. On the GPU machine: OUT/run.sh --help.
set -euo pipefail

out=.gpu
extra=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --with) extra+=("$(realpath -e "${2:?--with needs a file}")"); shift 2 ;;
    -*) sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2 ;;
    *) out=$1; shift ;;
  esac
done
mkdir -p "$out"
out=$(realpath "$out")
[[ -z $(ls -A "$out") || -f "$out/run.sh" ]] || { echo "$out is not a bundle: name a folder that may be replaced" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
export GOOS=linux GOARCH=amd64 CGO_ENABLED=0
flags=(-trimpath '-ldflags=-s -w')

# The tree keeps the repository's layout: tests find testdata by relative path.
git ls-files -z --cached --others --exclude-standard -- 'testdata/*' '*/testdata/*' |
  while IFS= read -r -d '' file; do
    [[ ! -f $file ]] || cp --parents "$file" "$tree"
  done
template='{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'
module=$(go list -m)
for package in $(go list -f "$template" ./...); do
  room=${package#"$module"}
  room=${room#/}
  mkdir -p "$tree/$room"
  go test -c "${flags[@]}" -o "$tree/$room/package.test" "$package"
  echo "$room" >>"$tree/packages"
done
mkdir -p "$tree/bin" "$tree/traces"
go build "${flags[@]}" -o "$tree/bin/rmm" ./rmm/cmd/rmm
for file in "${extra[@]}"; do cp "$file" "$tree/traces/"; done
git describe --always --dirty >"$tree/commit" 2>/dev/null || echo unknown >"$tree/commit"

rm -rf "${out:?}"/*
# Test binaries share most of their code: a window over all of them halves the size.
tar -C "$tree" -c . | xz -T1 --lzma2=preset=1,dict=256MiB >"$out/tree.tar.xz"
cp scripts/gpu/run.sh scripts/gpu/verdict.sh "$out/"
chmod +x "$out/run.sh"

limit=$((60 << 20))
size=$(du -sb "$out" | cut -f1)
echo "$(wc -l <"$tree/packages") packages, $((size >> 20)) MiB in $out"
[[ $size -le $limit ]] || { echo "the bundle is larger than $((limit >> 20)) MiB: leave out traces, or cut them" >&2; exit 1; }
