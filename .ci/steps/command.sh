#!/usr/bin/env bash
# the README's first command replays its trace on the simulator
set -euo pipefail
grep -qx 'go run \./rmm/cmd/rmm replay' README.md || { echo "README.md no longer gives the command: go run ./rmm/cmd/rmm replay"; exit 1; }
go run ./rmm/cmd/rmm replay | tee "$GATE_TMP/replay.txt"
head -1 "$GATE_TMP/replay.txt" | grep -qi simulat || { echo "the first line does not say that the simulator was used"; exit 1; }
go run ./rmm/cmd/rmm info
