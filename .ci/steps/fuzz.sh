#!/usr/bin/env bash
# every fuzz target for a few seconds
set -euo pipefail
mapfile -t targets < <(go test -list '^Fuzz' ./... | awk '/^Fuzz/ {names[n++] = $1} /^ok/ {for (i = 0; i < n; i++) print $2, names[i]; n = 0}')
[[ ${#targets[@]} -gt 0 ]] || { echo "no fuzz target was found"; exit 1; }
for target in "${targets[@]}"; do
  read -r package name <<<"$target"
  echo "$name in $package"
  go test -run '^$' -fuzz "^$name\$" -fuzztime 5s -parallel 2 "$package"
done
