#!/usr/bin/env bash
# packages import only what .ci/arrows.txt allows
set -euo pipefail
# shellcheck disable=SC2016 # a Go template, nothing for the shell
imports='{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}'

# Files are chosen by platform and tag, so one listing would not see them all.
for platform in linux/amd64 windows/amd64 darwin/arm64; do
  for tags in '' rmm_nocuda; do
    GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 go list -tags "$tags" -f "$imports" ./...
  done
done | sort -u | awk -v module="$(go list -m)" -f .ci/arrows.awk .ci/arrows.txt -
