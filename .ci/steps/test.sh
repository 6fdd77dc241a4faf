#!/usr/bin/env bash
# the README's test command, on the simulator
set -euo pipefail
grep -qx 'go test \./\.\.\.' README.md || { echo "README.md no longer gives the command: go test ./..."; exit 1; }
go test ./...
