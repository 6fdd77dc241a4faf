#!/usr/bin/env bash
# the tests, with the long ones, under the race detector
set -euo pipefail
# The race detector needs cgo; the library never does.
RMM_LONG_TESTS=1 CGO_ENABLED=1 go test -race ./...
