#!/usr/bin/env bash
# every shell script passes shellcheck
set -euo pipefail
if ! command -v shellcheck >/dev/null; then
  if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "install shellcheck to run this step"
    exit 1
  fi
  apt-get update -qq && apt-get install -qq -y --no-install-recommends shellcheck >/dev/null
fi
mapfile -t scripts < <(git grep -lI --untracked '^#!/usr/bin/env bash' -- .ci scripts)
shellcheck --shell=bash --external-sources "${scripts[@]}"
echo "${#scripts[@]} scripts"
