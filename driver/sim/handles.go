package sim

// handles names objects of one kind by handles, as CUDA does: a destroyed
// object's handle is given to the next one created, so that code which mistakes
// handles for identities is found out.
type handles[T any] struct {
	base uintptr // tells one kind's handles from another's
	live []*T    // by (handle-base)/spacing
	free []int   // destroyed slots, the newest last
}

const spacing = 16

func (h *handles[T]) add(v *T) uintptr {
	i := len(h.live)
	if n := len(h.free); n > 0 {
		i, h.free = h.free[n-1], h.free[:n-1]
		h.live[i] = v
	} else {
		h.live = append(h.live, v)
	}
	return h.base + uintptr(i)*spacing
}

// get returns nil for what is not a handle of a live object of this kind.
func (h *handles[T]) get(handle uintptr) *T {
	i := (handle - h.base) / spacing // a smaller handle wraps round to a huge index
	if handle%spacing != 0 || i >= uintptr(len(h.live)) {
		return nil
	}
	return h.live[i]
}

func (h *handles[T]) remove(handle uintptr) {
	i := int((handle - h.base) / spacing)
	h.live[i] = nil
	h.free = append(h.free, i)
}
