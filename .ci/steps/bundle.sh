#!/usr/bin/env bash
# the GPU bundle builds, runs here on the simulator, and judges its tests rightly
set -euo pipefail

# expect WORD BACKEND GPUS LOG: the bundle's judgement of the test output LOG.
expect() {
  local got=ok
  # shellcheck source=scripts/gpu/verdict.sh
  (source scripts/gpu/verdict.sh && verdict <(printf '%b' "$4") 0 "$2" "$3") >/dev/null || got=fails
  [[ $got = "$1" ]] || { echo "on $2 with $3 GPUs this must be '$1' and is '$got': $4"; exit 1; }
}
skip() { printf '=== RUN   TestX\\n    x_test.go:7: %s\\n--- SKIP: TestX (0.00s)\\nPASS\\n' "$1"; }
expect ok cuda 1 '=== RUN   TestX\n--- PASS: TestX (0.00s)\nPASS\n'
expect fails cuda 1 '=== RUN   TestX\n    --- FAIL: TestX/sub (0.00s)\n'
expect ok cuda 1 "$(skip 'simulator only: no faults on a GPU')"
expect ok cuda 1 "$(skip 'needs 2 devices: peer copies')"
expect ok cuda 1 "$(skip 'this machine has a GPU')"
expect fails sim 0 "$(skip 'this machine has a GPU')"
expect ok sim 0 "$(skip 'set RMM_TEST_LIBCUDA to a real libcuda.so.1')"
expect fails cuda 2 "$(skip 'needs 2 devices: peer copies')"
expect fails cuda 1 "$(skip 'long: set the flag')"
expect fails cuda 1 "$(skip 'needs a GPU: event overhead')"
expect ok sim 0 "$(skip 'needs a GPU: event overhead')"
expect fails cuda 1 '=== RUN   TestX\n--- SKIP: TestX (0.00s)\nPASS\n'

scripts/gpu-bundle.sh --with testdata/traces/small.csv "$GATE_TMP/gpu"
"$GATE_TMP/gpu/run.sh" --backend sim
"$GATE_TMP/gpu/run.sh" --backend sim --packages rmm/eventlog --bench . --results "$GATE_TMP/results"
grep -q '^Benchmark' "$GATE_TMP/results/bench-sim.txt"
