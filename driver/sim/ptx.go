package sim

import (
	"bytes"
	"regexp"
	"strconv"
)

// entry is a kernel as PTX declares it.
type entry struct {
	name   string
	params []int // sizes in bytes
}

var (
	ptxComment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	ptxEntry   = regexp.MustCompile(`\.entry\s+([a-zA-Z_$%][\w$]*)\s*(?:\(([^)]*)\))?`)
	ptxParam   = regexp.MustCompile(`\.param\b[^,]*?\.([busf])(8|16|32|64|128)\b[^,\[]*(?:\[\s*(\d+)\s*\])?`)
)

// entries finds the kernels of PTX text, and reports whether it is PTX: that
// begins with its version. Nothing else of the text is looked at.
func entries(image []byte) (found []entry, isPTX bool) {
	text := ptxComment.ReplaceAll(bytes.TrimRight(image, "\x00"), []byte(" "))
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte(".version")) {
		return nil, false
	}
	for _, m := range ptxEntry.FindAllSubmatch(text, -1) {
		found = append(found, entry{string(m[1]), paramSizes(m[2])})
	}
	return found, true
}

// paramSizes are the sizes of a list of parameters. One that cannot be read has
// size 0, which every argument satisfies.
func paramSizes(list []byte) []int {
	if len(bytes.TrimSpace(list)) == 0 {
		return nil
	}
	var sizes []int
	for _, declaration := range bytes.Split(list, []byte(",")) {
		sizes = append(sizes, paramSize(declaration))
	}
	return sizes
}

func paramSize(declaration []byte) int {
	m := ptxParam.FindSubmatch(declaration)
	if m == nil {
		return 0
	}
	bits, _ := strconv.Atoi(string(m[2])) // the expression admits numbers only
	count := 1
	if len(m[3]) > 0 {
		var err error
		if count, err = strconv.Atoi(string(m[3])); err != nil || count > maxParams {
			return 0
		}
	}
	return bits / 8 * count
}

// maxParams is how many bytes of arguments a kernel can take.
const maxParams = 32764
