#!/usr/bin/env bash
# every Go file is formatted by gofmt
set -euo pipefail
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.go' | while read -r f; do
  if [[ -f $f ]]; then echo "$f"; fi
done)
unformatted=$(gofmt -l "${files[@]}")
[[ -z $unformatted ]] || { printf 'run gofmt -w on:\n%s\n' "$unformatted"; exit 1; }
echo "${#files[@]} files"
