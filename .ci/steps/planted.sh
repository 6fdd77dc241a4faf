#!/usr/bin/env bash
# the quick checks catch faults that are planted in a copy of the tree
set -euo pipefail
copy="$GATE_TMP/planted"
mkdir "$copy"
# A file that is deleted but still in the index is nothing to copy.
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy" 2>/dev/null || true
cd "$copy"
git init -q && git add -A
ln -s "$OLDPWD/.build" .build

# plant STEP FILE TEXT: with TEXT at the end of FILE, STEP must fail.
plant() {
  local step=$1 file=$2 text=$3 new=0
  [[ -e $file ]] || new=1
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$text" >>"$file"
  if bash ".ci/steps/$step.sh" >"$GATE_TMP/planted.out" 2>&1; then
    printf '%s did not notice this in %s:\n%s\n' "$step" "$file" "$text"
    exit 1
  fi
  echo "$step: $(tail -1 "$GATE_TMP/planted.out")"
  if [[ $new -eq 1 ]]; then rm "$file"; else git checkout -q -- "$file"; fi
}

# Without this the checks could fail here for another reason.
for step in format house arrows docs shell readme; do bash ".ci/steps/$step.sh" >/dev/null; done

plant format driver/planted.go 'package   driver'
plant house planted.txt 'x'
plant house rmm/mr/planted.go "package mr // TO""DO"
plant house rmm/mr/planted.go 'package mr // see "/ho''me/somebody/x"'
plant house rmm/mr/planted.go 'package mr; const where = "/usr/local/''cuda"'
plant house rmm/mr/planted.go 'package mr; import _ "github.com/ebitengine/''purego"'
plant arrows loader/planted.go 'package loader; import _ "github.com/rmm-go/rmm-go/driver"'
plant arrows rmm/eventlog/planted_windows.go 'package eventlog; import _ "go.uber.org/zap"'
plant arrows rmm/util/planted.go 'package util; import _ "github.com/rmm-go/rmm-go/loader"'
plant docs rmm/mr/planted.go 'package mr

func Planted() {}'
# shellcheck disable=SC2016 # the fault is in the text
plant shell scripts/planted.sh '#!/usr/bin/env bash
rm -rf $1/x'

# The example is compared as it stands, so the fault goes into the README's.
sed -i '/^<!-- example -->$/,/^```$/ s/^dev/device/' README.md
if bash .ci/steps/readme.sh >/dev/null 2>&1; then
  echo "readme did not notice a changed example"
  exit 1
fi
