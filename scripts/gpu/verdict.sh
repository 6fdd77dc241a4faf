# Judges the output of a test binary that ran with -test.v. Sourced by run.sh.

# verdict LOG STATUS BACKEND GPUS: prints what ran and, a line each, what was
# wrong; fails if the run failed, a test failed or one was skipped that should
# have run here.
verdict() {
  local log=$1 status=$2 backend=$3 gpus=$4
  local passed=0 failed=0 skipped=0 name='' line test wrong=()
  local -A said=()
  while IFS= read -r line; do
    if [[ $line =~ ^=== ]]; then
      [[ ! $line =~ ^===\ (RUN|CONT|NAME)\ +([^ ]+) ]] || name=${BASH_REMATCH[2]}
    elif [[ $line =~ ^\ *---\ (PASS|FAIL|SKIP):\ ([^ ]+) ]]; then
      test=${BASH_REMATCH[2]}
      case "${BASH_REMATCH[1]}" in
        PASS) passed=$((passed + 1)) ;;
        FAIL) failed=$((failed + 1)); wrong+=("failed: $test") ;;
        SKIP)
          skipped=$((skipped + 1))
          may_skip "${said[$test]:-}" "$backend" "$gpus" ||
            wrong+=("must not be skipped here: $test: ${said[$test]:-no reason given}")
          ;;
      esac
    elif [[ -n $name && $line =~ ^\ *[^\ ]+\.go:[0-9]+:\ (.*) ]]; then
      # The last thing that a skipped test logs is its reason.
      said[$name]=${BASH_REMATCH[1]}
    fi
  done <"$log"
  [[ $status -eq 0 ]] || wrong+=("exit status $status: $(last_words "$log")")
  echo "$passed passed, $failed failed, $skipped skipped, $(grep -ac '^Benchmark.*ns/op' "$log") benchmarks"
  [[ ${#wrong[@]} -eq 0 ]] || { printf '      %s\n' "${wrong[@]}"; return 1; }
}

# last_words LOG: the line that tells most about a failed run.
last_words() {
  grep -aE '^(panic|fatal error): |ERROR SUMMARY' "$1" | tail -1 | grep . || grep -av '^$' "$1" | tail -1
}

# may_skip REASON BACKEND GPUS: whether REASON is a good one to skip a test.
may_skip() {
  local reason=$1 backend=$2 gpus=$3
  if [[ $reason = 'set RMM_TEST_LIBCUD'* ]]; then
    # NVIDIA's files of an old driver, for machines without one: the gate has them.
    return 0
  elif [[ $backend = sim ]]; then
    [[ $reason = 'needs a GPU: '* ]]
  elif [[ $backend = cudart && $reason = *'the backend cudart does not offer it'* ]]; then
    # Virtual memory and kernels belong to the driver API alone.
    return 0
  elif [[ $reason =~ ^needs\ ([0-9]+)\ devices:\  ]]; then
    [[ ${BASH_REMATCH[1]} -gt $gpus ]]
  else
    [[ $reason = 'simulator only: '* || $reason = 'this machine has '* ]]
  fi
}
