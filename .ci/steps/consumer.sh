#!/usr/bin/env bash
# a program outside this module builds everywhere, runs here and pulls little
set -euo pipefail
library=$PWD
module=$(go list -m)
sum="$PWD/go.sum"
mkdir "$GATE_TMP/consumer"
cp testdata/consumer/main.go "$GATE_TMP/consumer/"
cd "$GATE_TMP/consumer"

go mod init example.com/consumer
go mod edit -require="$module@v0.0.0" -replace="$module=$library"
cp "$sum" .
go mod tidy

for cgo in 0 1; do
  CGO_ENABLED=$cgo go build -o "consumer-$cgo" .
  "./consumer-$cgo"
done

# A library user's build: ours, purego and zap with what zap itself needs.
allowed="$module|github.com/ebitengine/purego|go.uber.org/(zap|multierr)|golang.org/x/sys|example.com/consumer"
for platform in linux/amd64 linux/arm64 windows/amd64 darwin/arm64; do
  export GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0
  go build -o /dev/null .
  pulled=$(go list -deps -f '{{with .Module}}{{.Path}}{{end}}' . | sort -u)
  if grep -vxE "$allowed" <<<"$pulled"; then
    echo "a library user on $platform must not pull the modules above"
    exit 1
  fi
  echo "$platform pulls: ${pulled//$'\n'/ }"
done
