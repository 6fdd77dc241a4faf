#!/usr/bin/env bash
# the README's Go example is the compiled one
set -euo pipefail
if ! diff -u --label README.md --label rmm/example_test.go \
  <(scripts/readme-example.sh readme) <(scripts/readme-example.sh code); then
  echo "copy the example into README.md: scripts/readme-example.sh code"
  exit 1
fi
