#!/usr/bin/env bash
# Runs a bundle of scripts/gpu-bundle.sh on this machine's GPUs. Needs bash,
# coreutils and python3; no Go.
#
#   run.sh [OPTION]...
#
#   --packages LIST   only these, by folder: driver,rmm/mr; 'command' is the
#                     command rmm with the bundled traces (default: everything)
#   --run REGEXP      only tests that match
#   --bench REGEXP    benchmarks instead of tests
#   --count N         repeat each benchmark N times (default 1)
#   --results DIR     write benchmark results there, for benchstat
#   --logs DIR        keep the full output there (default: beside run.sh, logs/)
#   --sanitizer       run under compute-sanitizer --tool memcheck
#   --backend NAME    cuda (default), cudart or sim
#   --time SECONDS    stop, as a failure, after this long (default 570)
#
# A failed test fails the run. So does a skipped one, unless it is for the
# simulator or a machine without a GPU, or needs more GPUs than there are.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() { sed -n '2,/^set/{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"; }

packages='' pattern='' bench='' count=1 results='' logs="$here/logs" sanitizer='' backend=cuda time=570
while [[ $# -gt 0 ]]; do
  case "$1" in
    --sanitizer) sanitizer=yes; shift; continue ;;
    --help) usage; exit 0 ;;
  esac
  [[ $# -ge 2 ]] || { echo "$1 is unknown or needs a value; see --help" >&2; exit 2; }
  case "$1" in
    --packages) packages=$2 ;;
    --run) pattern=$2 ;;
    --bench) bench=$2 ;;
    --count) count=$2 ;;
    --results) results=$2 ;;
    --logs) logs=$2 ;;
    --backend) backend=$2 ;;
    --time) time=$2 ;;
    *) echo "unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift 2
done
case "$backend" in cuda | cudart | sim) ;; *) echo "--backend is cuda, cudart or sim, not '$backend'" >&2; exit 2 ;; esac
logs=$(realpath -m "$logs")
[[ -z $results ]] || results=$(realpath -m "$results")
# shellcheck source-path=SCRIPTDIR source=verdict.sh
source "$here/verdict.sh"

gpus=0
if [[ $backend != sim ]]; then
  gpus=$( (nvidia-smi -L 2>/dev/null || true) | wc -l)
  [[ $gpus -gt 0 ]] || { echo "nvidia-smi lists no GPU; --backend sim runs on the simulator" >&2; exit 1; }
fi

under=()
if [[ -n $sanitizer ]]; then
  under=("$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)" --tool memcheck --error-exitcode 86)
  # The tests provoke errors on purpose and check them: those are no findings.
  under+=(--report-api-errors no)
fi

tree="$here/tree"
rm -rf "$tree"
mkdir -p "$tree" "$logs"
if command -v xz >/dev/null; then tar -xJf "$here/tree.tar.xz" -C "$tree"; else python3 -m tarfile -e "$here/tree.tar.xz" "$tree"; fi

export RMM_BACKEND=$backend RMM_LONG_TESTS=1

left() { echo $((time - SECONDS > 1 ? time - SECONDS : 1)); }
# limited: runs a command under the sanitizer, if asked for, and in the time left
# (a few seconds more, so that a test binary can say where it hangs).
limited() { timeout --kill-after=5 "$(($(left) + 5))" "${under[@]}" "$@"; }

tests() {
  limited ./package.test -test.v -test.run "$pattern" -test.timeout "$(left)s"
}

benchmarks() {
  limited ./package.test -test.run '^$' -test.bench "$bench" -test.benchmem -test.count "$count" -test.timeout "$(left)s"
}

# replays: the command on its own trace, then on the bundled ones.
replays() {
  local trace
  limited bin/rmm info || return
  limited bin/rmm replay --backend "$backend" --resource cuda,cuda-async,managed || return
  for trace in traces/*; do
    [[ ! -e $trace ]] || limited bin/rmm replay --backend "$backend" --resource cuda,cuda-async,managed "$trace" || return
  done
}

# header: what benchstat should know of this machine.
header() {
  if [[ $backend != sim ]]; then
    echo "machine: $gpus x $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
    echo "driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
  else
    echo "machine: simulator, $(nproc) cores"
  fi
  echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "commit: $(<"$tree/commit")"
}

record() {
  [[ -n $results ]] || return 0
  local file="$results/bench-$backend.txt"
  mkdir -p "$results"
  [[ -e $file ]] || header >"$file"
  grep -E '^(goos|goarch|pkg|cpu): |^Benchmark' "$1" >>"$file" || true
}

# one: runs one package, prints its line, fails as it does.
one() {
  local room=$1 log="$logs/${1//\//_}.log" rc=0 began=$SECONDS summary
  [[ $SECONDS -lt $time ]] || { echo "FAIL  $room  not run: the $time s of --time are over"; return 1; }
  if [[ $room = command ]]; then
    (cd "$tree" && replays) >"$log" 2>&1 || rc=$?
  elif [[ -n $bench ]]; then
    (cd "$tree/$room" && benchmarks) >"$log" 2>&1 || rc=$?
    record "$log"
  else
    (cd "$tree/$room" && tests) >"$log" 2>&1 || rc=$?
  fi
  if summary=$(verdict "$log" "$rc" "$backend" "$gpus"); then
    echo "ok    $room  $((SECONDS - began))s  $summary"
  else
    echo "FAIL  $room  $((SECONDS - began))s  $summary"
    echo "      see $log"
    return 1
  fi
}

if [[ -n $packages ]]; then
  IFS=, read -ra rooms <<<"$packages"
else
  mapfile -t rooms <"$tree/packages"
  [[ -n $bench || -n $pattern ]] || rooms+=(command)
fi
for room in "${rooms[@]}"; do
  [[ $room = command || -x "$tree/$room/package.test" ]] || { echo "no package '$room' in this bundle; it has: command $(tr '\n' ' ' <"$tree/packages")" >&2; exit 2; }
done

header
passed=0 failed=0
for room in "${rooms[@]}"; do
  if one "$room"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed packages passed, $failed failed"
[[ $failed -eq 0 ]]
