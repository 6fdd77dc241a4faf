#!/usr/bin/env bash
# the loader and the driver against NVIDIA's own libcuda and libcudart, without a GPU
set -euo pipefail
scripts/fetch-nvidia-libs.sh "$GATE_TMP/nvidia" | tee "$GATE_TMP/nvidia.env"
set -a
# shellcheck source=/dev/null
source <(grep -E '^RMM_TEST_LIBCUD(A|ART)=' "$GATE_TMP/nvidia.env")
set +a
: "${RMM_TEST_LIBCUDA:?scripts/fetch-nvidia-libs.sh did not print it}" "${RMM_TEST_LIBCUDART:?scripts/fetch-nvidia-libs.sh did not print it}"
for cgo in 0 1; do
  CGO_ENABLED=$cgo go test -count=1 ./loader/... ./driver/...
done
