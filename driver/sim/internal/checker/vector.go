package checker

// tick says that the acts of a thread up to a time are known.
type tick struct {
	thread *Thread
	time   uint64
}

// vector is a sparse vector clock, sorted by thread. It is never changed in
// place.
type vector []tick

// at is how far t is known; 0 is not at all.
func (v vector) at(t *Thread) uint64 {
	low, high := 0, len(v)
	for low < high {
		mid := (low + high) / 2
		if v[mid].thread.id < t.id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(v) && v[low].thread == t {
		return v[low].time
	}
	return 0
}

// covers reports whether v knows all that w knows.
func (v vector) covers(w vector) bool {
	for _, k := range w {
		if !k.thread.joined && v.at(k.thread) < k.time {
			return false
		}
	}
	return true
}

// join is what v and w know together, without what floor knows anyway and
// without threads that everybody is after.
func (v vector) join(w, floor vector) vector {
	if v.covers(w) {
		return v
	}
	out := make(vector, 0, len(v)+len(w))
	for len(v) > 0 || len(w) > 0 {
		var k tick
		switch {
		case len(w) == 0 || (len(v) > 0 && v[0].thread.id < w[0].thread.id):
			k, v = v[0], v[1:]
		case len(v) == 0 || w[0].thread.id < v[0].thread.id:
			k, w = w[0], w[1:]
		default:
			k = tick{v[0].thread, max(v[0].time, w[0].time)}
			v, w = v[1:], w[1:]
		}
		if !k.thread.joined && floor.at(k.thread) < k.time {
			out = append(out, k)
		}
	}
	return out
}
