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

// join is what v and w know together with k, without what floor knows anyway and
// without threads that everybody is after.
func (v vector) join(w vector, k tick, floor vector) vector {
	if v.at(k.thread) >= k.time && v.covers(w) {
		return v
	}
	out := make(vector, 0, len(v)+len(w)+1)
	one := [1]tick{k}
	heads := [3]vector{v, w, one[:]}
	for {
		next := pop(&heads)
		if next.thread == nil {
			return out
		}
		if !next.thread.joined && floor.at(next.thread) < next.time {
			out = append(out, next)
		}
	}
}

// pop takes the lowest thread from the heads of three vectors, with the latest
// of its times.
func pop(heads *[3]vector) (k tick) {
	for _, v := range heads {
		if len(v) > 0 && (k.thread == nil || v[0].thread.id < k.thread.id) {
			k.thread = v[0].thread
		}
	}
	for i, v := range heads {
		if len(v) > 0 && v[0].thread == k.thread {
			k.time, heads[i] = max(k.time, v[0].time), v[1:]
		}
	}
	return k
}
