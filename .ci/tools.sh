# Builds the linters, at fixed versions, outside go.mod: the library's users
# must not see them. Sourced by steps.

versions='
honnef.co/go/tools/cmd/staticcheck v0.8.2
github.com/mgechev/revive v1.10.0
'

# tool PACKAGE: installs PACKAGE once and prints the path of its command.
tool() {
  local version bin
  version=$(awk -v package="$1" '$1 == package {print $2}' <<<"$versions")
  bin="$PWD/.build/tools/$version"
  [[ -x "$bin/${1##*/}" ]] || CGO_ENABLED=0 GOBIN="$bin" go install "$1@$version" >&2
  echo "$bin/${1##*/}"
}
