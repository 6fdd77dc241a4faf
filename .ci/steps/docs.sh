#!/usr/bin/env bash
# every exported name has a doc comment
set -euo pipefail
source .ci/tools.sh
revive=$(tool github.com/mgechev/revive)
findings=$("$revive" -config .ci/revive.toml ./...)
# The comment's form is staticcheck's matter: it knows comments of whole groups.
if grep 'should have' <<<"$findings"; then exit 1; fi
