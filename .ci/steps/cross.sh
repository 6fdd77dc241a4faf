#!/usr/bin/env bash
# builds and vets for every platform, tests included, with and without CUDA
set -euo pipefail

# compile: builds the packages and type-checks their tests.
compile() {
  echo "$(go env GOOS)/$(go env GOARCH) CGO_ENABLED=$CGO_ENABLED $*"
  go build "$@" ./...
  go vet "$@" ./...
}

export CGO_ENABLED=0
for platform in linux/amd64 linux/arm64 windows/amd64 darwin/arm64; do
  GOOS=${platform%/*} GOARCH=${platform#*/} compile
  GOOS=${platform%/*} GOARCH=${platform#*/} compile -tags rmm_nocuda
done
CGO_ENABLED=1 compile
