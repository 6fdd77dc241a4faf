#!/usr/bin/env bash
# the house: top-level entries, nothing unfinished, no paths of one machine
set -euo pipefail
failed=0

# complain TITLE LINES: reports LINES, if there are any, as a failure.
complain() {
  [[ -z $2 ]] || { printf '%s:\n%s\n' "$1" "$2"; failed=1; }
}

find_text() { git grep -nIE --untracked "$@" || true; }

allowed='go.mod|go.sum|README.md|LICENSE|driver|rmm|loader|testdata|scripts|\..*'
complain 'not a room of this house (top level)' "$(git ls-files --cached --others --exclude-standard | cut -d/ -f1 | sort -u | grep -vxE "$allowed" || true)"
complain 'purego outside loader/' "$(find_text 'ebitengine/purego' -- '*.go' ':!loader/')"
complain 'unfinished' "$(find_text '\b(TODO|FIXME|XXX)\b|not implemented' -- '*.go')"
complain "paths of somebody's own machine" "$(find_text '(^|["[:space:]=])(/home/|/Users/|/root/|C:\\Users)' -- . ':!.ci/steps/house.sh')"
# Where CUDA may be installed is the loader's knowledge, written down once.
complain 'CUDA install paths outside loader/' "$(find_text '/usr/local/(cuda|nvidia)' -- '*.go' ':!loader/' ':!*_test.go')"
exit "$failed"
