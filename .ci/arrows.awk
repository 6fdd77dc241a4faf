# Reads .ci/arrows.txt, then lines "IMPORTER IMPORTED"; fails on an import that
# the importer's room is not allowed. A package's own room is the longest
# pattern that matches it; packages of one room may import one another.

function matches(path, pattern,    prefix) {
  if (pattern !~ /\/\.\.\.$/) return path == pattern
  prefix = substr(pattern, 1, length(pattern) - 4)
  return path == prefix || index(path, prefix "/") == 1
}

function room_of(path,    room, best) {
  for (room in rooms)
    if (matches(path, room) && length(room) > length(best)) best = room
  return best
}

function allows(room, path,    patterns, n, i) {
  n = split(rooms[room], patterns, " ")
  for (i = 1; i <= n; i++)
    if (matches(path, patterns[i])) return 1
  return 0
}

function complain(text) { print text; bad = 1 }

/^#/ || NF == 0 { next }

FNR == NR { room = $1; sub(/:$/, "", room); $1 = ""; rooms[room] = $0; next }

{
  imports++
  sub("^" module "/?", "", $1)
  importer = room_of($1)
  if (importer == "") { complain($1 ": belongs to no room of .ci/arrows.txt"); next }
  if ($2 !~ /^[^\/]*\./) next # the standard library: no dot in the first element
  if ($2 == module || index($2, module "/") == 1) {
    path = substr($2, length(module) + 2)
    if (room_of(path) == importer) next
  } else path = $2
  if (!allows(importer, path)) complain($1 " (room " importer ") must not import " path)
}

END {
  if (imports == 0) complain("no packages were listed")
  if (!bad) print imports " imports"
  exit bad
}
