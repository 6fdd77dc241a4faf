#!/usr/bin/env bash
# go.mod and go.sum are tidy and the module cache is intact
set -euo pipefail
go mod tidy -diff
go mod verify
