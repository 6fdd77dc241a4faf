package sim

import "github.com/rmm-go/rmm-go/driver/internal/api"

// hint is what a program has said about a page of managed memory. Locations are
// ordinals plus 2, so that the zero value is what CUDA answers for none (-2).
type hint struct {
	readMostly bool
	preferred  int
	prefetched int // last
}

// hints are the hints on an allocation as runs of pages with the same one, in
// order. Nil are no hints.
type hints []run

type run struct {
	pages int
	hint
}

// hintPage is what hints are kept by, in bytes.
const hintPage = 4 << 10

// update changes the hints on the pages from one number up to another, of an
// allocation of so many.
func (h hints) update(pages, from, to int, change func(*hint)) hints {
	if h == nil {
		h = hints{{pages: pages}}
	}
	var changed hints
	at := 0
	for _, r := range h {
		low, high := min(max(from, at), at+r.pages), max(min(to, at+r.pages), at)
		inside := r.hint
		change(&inside)
		changed = changed.add(low-at, r.hint).add(high-low, inside).add(at+r.pages-max(low, high), r.hint)
		at += r.pages
	}
	return changed
}

// add appends pages, to the last run if it has the same hint.
func (h hints) add(pages int, of hint) hints {
	if pages <= 0 {
		return h
	}
	if n := len(h); n > 0 && h[n-1].hint == of {
		h[n-1].pages += pages
		return h
	}
	return append(h, run{pages, of})
}

// common is what get returns for all pages from one number up to another, none
// if they differ.
func (h hints) common(from, to int, get func(hint) int) int {
	found, at := -1, 0
	for _, r := range h {
		if at < to && at+r.pages > from {
			if found >= 0 && get(r.hint) != found {
				return 0
			}
			found = get(r.hint)
		}
		at += r.pages
	}
	return max(found, 0)
}

// pages are the numbers of the pages of n bytes at p, and of all in the block.
func (b *block) pages(p Ptr, n int) (from, to, all int) {
	first := b.base / hintPage
	number := func(last uintptr) int { return int(last/hintPage-first) + 1 }
	return number(uintptr(p)) - 1, number(uintptr(p) + uintptr(n) - 1), number(b.end() - 1)
}

// hint changes the hints on n bytes at p of the block.
func (b *block) hint(p Ptr, n int, change func(*hint)) {
	from, to, all := b.pages(p, n)
	b.hints = b.hints.update(all, from, to, change)
}

// managed finds managed memory that contains n bytes at p. The caller holds mu.
func (h *hostMemory) managed(call string, p Ptr, n int) (*block, error) {
	b := h.live.find(p)
	if b == nil || b.kind != api.MemoryManaged || n <= 0 || uintptr(n) > b.end()-uintptr(p) {
		return nil, fail(call, api.CodeInvalidValue, "%d bytes at %v are not inside managed memory", n, p)
	}
	return b, nil
}
