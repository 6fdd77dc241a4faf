#!/usr/bin/env bash
# with the tag rmm_nocuda: no purego, a static command, tests green
set -euo pipefail
for platform in linux/amd64 linux/arm64 windows/amd64 darwin/arm64; do
  deps=$(GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 go list -deps -test -tags rmm_nocuda ./...)
  if grep -F ebitengine/purego <<<"$deps"; then
    echo "purego is linked on $platform in spite of the tag rmm_nocuda"
    exit 1
  fi
done

CGO_ENABLED=0 go build -tags rmm_nocuda -o "$GATE_TMP/rmm" ./rmm/cmd/rmm
# A static file has no program interpreter to name.
if grep -aqE '/(ld-linux|ld-musl)[^/]*\.so' "$GATE_TMP/rmm"; then
  echo "the command is not static: it names a dynamic linker"
  exit 1
fi
"$GATE_TMP/rmm" replay
CGO_ENABLED=0 go test -tags rmm_nocuda ./loader/... ./driver/... ./rmm/cmd/...
