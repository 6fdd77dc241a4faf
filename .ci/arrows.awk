# Reads .ci/arrows.txt, then lines "IMPORTER IMPORTED"; fails on an import that
# the importer's room is not allowed. A package belongs to the room with the
# longest matching path; packages of one room may import one another.

function room_of(path,    parts, n, i, prefix, best) {
  n = split(path, parts, "/")
  for (i = 1; i <= n; i++) {
    prefix = prefix (i > 1 ? "/" : "") parts[i]
    if (prefix in rooms) best = prefix
  }
  return best
}

# within: path is prefix or lies below it.
function within(path, prefix) {
  return path == prefix || index(path, prefix "/") == 1
}

function allows(room, path,    names, n, i) {
  n = split(rooms[room], names, " ")
  for (i = 1; i <= n; i++)
    if (names[i] == path || (names[i] ~ /\.\.\.$/ && within(path, substr(names[i], 1, length(names[i]) - 4)))) return 1
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
