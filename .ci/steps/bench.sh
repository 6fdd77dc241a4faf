#!/usr/bin/env bash
# every benchmark runs once
set -euo pipefail
go test -run '^$' -bench . -benchtime 1x ./... | tee "$GATE_TMP/bench.txt"
grep -q '^Benchmark' "$GATE_TMP/bench.txt" || { echo "no benchmark was found"; exit 1; }
