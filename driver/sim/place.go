package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// place is memory that an operation reads or writes: host memory, addresses of
// a device, or virtual addresses.
type place struct {
	host   []byte
	pages  *pageTable
	window *window
	base   uintptr
}

// reading returns contiguous bytes at an offset, at most n.
func (p place) reading(offset, n int) []byte {
	if p.window != nil {
		return p.window.bytes(p.base+uintptr(offset), n, api.AccessRead)
	}
	if p.pages == nil {
		return p.host[offset : offset+n]
	}
	b := p.pages.read(p.base + uintptr(offset))
	return b[:min(n, len(b))]
}

// writing returns contiguous bytes at an offset, at most n.
func (p place) writing(offset, n int) []byte {
	if p.window != nil {
		return p.window.bytes(p.base+uintptr(offset), n, api.AccessReadWrite)
	}
	if p.pages == nil {
		return p.host[offset : offset+n]
	}
	b := p.pages.write(p.base + uintptr(offset))
	return b[:min(n, len(b))]
}

// move copies n bytes. Overlapping places give what they give, as in CUDA.
func move(to, from place, n int) {
	for done := 0; done < n; {
		src := from.reading(done, n-done)
		done += copy(to.writing(done, len(src)), src)
	}
}

// fill writes a pattern over n bytes. Pages hold whole patterns: both are
// powers of two and the place is aligned to the pattern.
func fill(to place, pattern []byte, n int) {
	for done := 0; done < n; {
		b := to.writing(done, n-done)
		filled := copy(b, pattern)
		for filled < len(b) {
			filled += copy(b[filled:], b[:filled])
		}
		done += len(b)
	}
}
