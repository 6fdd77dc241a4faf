package mr

import "reflect"

// As finds the first resource that is a T, from r along the upstreams: a
// concrete type such as *Statistics, or a capability such as Trimmer. It is for
// inspecting a chain; allocate through r itself, so that no adaptor is skipped.
func As[T any](r Resource) (T, bool) {
	for !isNil(r) {
		if found, ok := r.(T); ok {
			return found, true
		}
		next, ok := r.(Upstreamer)
		if !ok {
			break
		}
		r = next.Upstream()
	}
	var none T
	return none, false
}

// Equal reports whether each of two resources can free the other's memory: they
// are the same one, or a says so (see Equaler). Two resources of one type are
// not equal merely for that: each knows its own allocations, which is how a
// wrong Deallocate is noticed.
func Equal(a, b Resource) bool {
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b)
	}
	if same(a, b) {
		return true
	}
	e, ok := a.(Equaler)
	return ok && e.Equal(b)
}

// same compares identities; a type that Go cannot compare has none.
func same(a, b Resource) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// isNil also finds a nil pointer inside a non-nil interface, which an ignored
// error of a constructor leaves behind.
func isNil(r Resource) bool {
	if r == nil {
		return true
	}
	v := reflect.ValueOf(r)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
