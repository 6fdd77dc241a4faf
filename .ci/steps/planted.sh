#!/usr/bin/env bash
# the quick checks catch faults that are planted in a copy of the tree
set -euo pipefail
copy="$GATE_TMP/planted"
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do
    [[ ! -f $file ]] || cp --parents "$file" "$copy"
  done
cd "$copy"
git init -q && git add -A
ln -s "$OLDPWD/.build" .build

# plant STEP FILE TEXT COMPLAINT: with TEXT at the end of FILE, STEP must fail
# and say COMPLAINT.
plant() {
  local step=$1 file=$2 text=$3 complaint=$4
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$text" >>"$file"
  if bash ".ci/steps/$step.sh" >"$said" 2>&1 || ! grep -qF -- "$complaint" "$said"; then
    printf '%s should have said "%s" about this in %s:\n%s\nIt said:\n' "$step" "$complaint" "$file" "$text"
    cat "$said"
    exit 1
  fi
  rm "$file"
  echo "$step: $complaint"
}
said="$GATE_TMP/planted.said"

# Without this the checks could fail here for another reason.
for step in format house arrows docs shell readme; do bash ".ci/steps/$step.sh" >/dev/null; done

plant format driver/planted.go 'package   driver' 'driver/planted.go'
plant house planted.txt 'x' 'not a room of this house'
plant house rmm/mr/planted.go "package mr // TO""DO" 'unfinished'
plant house rmm/mr/planted.go 'package mr // see "/ho''me/somebody/x"' "somebody's own machine"
plant house rmm/mr/planted.go 'package mr; const where = "/usr/local/''cuda"' 'outside loader/'
plant house rmm/mr/planted.go 'package mr; import _ "github.com/ebitengine/''purego"' 'purego outside loader/'
plant arrows rmm/eventlog/planted.go 'package eventlog; import _ "github.com/rmm-go/rmm-go/loader"' 'must not import loader'
plant arrows rmm/eventlog/planted_windows.go 'package eventlog; import _ "go.uber.org/zap"' 'must not import go.uber.org/zap'
plant arrows rmm/util/planted.go 'package util; import _ "github.com/rmm-go/rmm-go/loader"' 'rmm/util: belongs to no room'
plant docs rmm/mr/planted.go 'package mr

func Planted() {}' 'exported function Planted should have comment'
# shellcheck disable=SC2016 # the fault is in the text
plant shell scripts/planted.sh '#!/usr/bin/env bash
rm -rf $1/x' 'SC2086'
# Last, because the README keeps this fault.
sed -i '/^<!-- example -->$/{n;s/$/\nplanted/}' README.md
plant readme planted 'the fault is in README.md' 'copy the example'
