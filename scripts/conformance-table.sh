#!/usr/bin/env bash
# Joins the results of the conformance suite into one table: a line for each
# case, a column for each backend.
#
#   RMM_CONFORMANCE_OUT=/tmp/sim.txt go test ./driver -run '^TestConformance$'
#   (the same on a GPU with RMM_BACKEND=cuda, then with RMM_BACKEND=cudart)
#   scripts/conformance-table.sh /tmp/sim.txt /tmp/cuda.txt /tmp/cudart.txt \
#     >testdata/results/conformance-h200.txt
set -euo pipefail

[[ $# -eq 3 ]] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
for file in "$@"; do
  [[ -s $file ]] || { echo "$file is missing or empty: run the suite with RMM_CONFORMANCE_OUT=$file" >&2; exit 1; }
done

awk -F '\t' '
  FNR == 1 { file++ }
  NF != 3 { printf "%s:%d: %d fields, not the 3 of a result\n", FILENAME, FNR, NF >"/dev/stderr"; bad = 1; exit 1 }
  !($1 in row) { row[$1] = ++rows; name[rows] = $1 }
  { said[row[$1], file] = $3; count[file, $3 ~ /^skip / ? "skip" : $3]++ }
  END {
    if (bad) exit 1
    form = "%-75s  %-9s  %-9s  %s\n"
    printf form, "case", "simulator", "cuda", "cudart"
    for (i = 1; i <= rows; i++) {
      printf form, name[i], word(i, 1), word(i, 2), word(i, 3)
    }
    for (v = 1; v <= split("pass fail skip", verdicts, " "); v++) {
      k = verdicts[v]
      printf form, "total " k, count[1, k] + 0, count[2, k] + 0, count[3, k] + 0
    }
    for (i = 1; i <= rows; i++) for (j = 1; j <= 3; j++)
      if (said[i, j] ~ /^skip /) reasons[substr(said[i, j], 6)] = 1
    for (r in reasons) print "skipped: " r | "sort"
  }
  function word(i, j) { return (i, j) in said ? (said[i, j] ~ /^skip / ? "skip" : said[i, j]) : "not run" }
' "$@"
