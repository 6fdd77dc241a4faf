#!/usr/bin/env bash
# Prints the README's Go example as it stands in one of its two places:
#
#   scripts/readme-example.sh code     from the example test, rmm/example_test.go
#   scripts/readme-example.sh readme   from README.md
#
# The gate compares the two.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# code: the body of Example, without the output that the test expects.
code() {
  awk '
    /^func Example\(\) \{$/ {inside = 1; next}
    inside && (/^}$/ || /^\t\/\/ Output:/) {exit}
    inside {sub(/^\t/, ""); print}
  ' rmm/example_test.go
}

# readme: the Go block that follows the mark.
readme() {
  awk '
    /^<!-- example -->$/ {marked = 1; next}
    marked && /^```go$/ {inside = 1; next}
    inside && /^```$/ {exit}
    inside {print}
  ' README.md
}

case "${1:-}" in
  code | readme) text=$("$1") ;;
  *) echo "usage: scripts/readme-example.sh code|readme" >&2; exit 2 ;;
esac
[[ -n $text ]] || { echo "no example found ($1)" >&2; exit 1; }
printf '%s\n' "$text"
