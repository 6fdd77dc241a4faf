#!/usr/bin/env bash
# every exported name has a doc comment
set -euo pipefail
source .ci/tools.sh
revive=$(tool github.com/mgechev/revive)
"$revive" -config .ci/revive.toml -set_exit_status ./...
