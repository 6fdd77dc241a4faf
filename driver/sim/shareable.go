package sim

import (
	"encoding/binary"
	"sync"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// exports is what the program has exported, by token. A token is what a file
// descriptor or the bytes of a handle carry; a real one would name the object
// in another process, here it does so in this one.
//
// An export does not keep its object: what was released or destroyed can no
// longer be imported.
type exports struct {
	mu      sync.Mutex
	last    uint64
	objects map[uint64]any // *physical, *pool, …
}

// token is what identifies an export: a mark that tells ours from other bytes,
// and a number.
type token [16]byte

var tokenMark = [8]byte{'r', 'm', 'm', '-', 's', 'i', 'm', 1}

// add exports an object; the same one always gets the same token.
func (e *exports) add(object any) token {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n, known := range e.objects {
		if known == object {
			return newToken(n)
		}
	}
	if e.objects == nil {
		e.objects = map[uint64]any{}
	}
	e.last++
	e.objects[e.last] = object
	return newToken(e.last)
}

func newToken(n uint64) (t token) {
	copy(t[:], tokenMark[:])
	binary.LittleEndian.PutUint64(t[8:], n)
	return t
}

// find returns the object of a token that begins with b, nil if nobody exported
// it or it is gone.
func (e *exports) find(b []byte) any {
	if len(b) < len(token{}) || [8]byte(b) != tokenMark {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.objects[binary.LittleEndian.Uint64(b[8:])]
}

// remove ends the export of an object.
func (e *exports) remove(object any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n, known := range e.objects {
		if known == object {
			delete(e.objects, n)
		}
	}
}

// share puts a token into a handle of a type.
func (t token) share(call string, kind api.HandleType) (api.Shareable, error) {
	s := api.Shareable{Type: kind}
	switch kind {
	case api.HandlePosixFD:
		fd, err := descriptor(t[:])
		if err != nil {
			return s, fail(call, api.CodeNotSupported, "make a file descriptor: %v", err)
		}
		s.FD = fd
	case api.HandleFabric:
		copy(s.Fabric[:], t[:])
	}
	return s, nil
}

// shared finds the object behind a handle.
func (e *exports) shared(call string, s api.Shareable) (any, error) {
	bytes := s.Fabric[:]
	switch s.Type {
	case api.HandlePosixFD:
		var err error
		if bytes, err = peek(s.FD); err != nil {
			return nil, fail(call, api.CodeInvalidValue, "read file descriptor %d: %v: give one that was exported", s.FD, err)
		}
	case api.HandleFabric:
	default:
		return nil, fail(call, api.CodeInvalidValue, "handle type %d: use 1 (a file descriptor) or 8 (fabric)", s.Type)
	}
	if object := e.find(bytes); object != nil {
		return object, nil
	}
	return nil, fail(call, api.CodeInvalidValue, "the handle names nothing that this program has exported and not released")
}

// exportable checks that memory can be made for export in these ways.
func (d *device) exportable(call string, handles api.HandleType) error {
	needs := []struct {
		kind      api.HandleType
		attribute api.Attribute
		name      string
	}{
		{api.HandlePosixFD, api.AttrHandleTypePosixFDSupported, "export as a file descriptor"},
		{api.HandleFabric, api.AttrHandleTypeFabricSupported, "export as a fabric handle"},
	}
	for _, n := range needs {
		if handles&n.kind == 0 {
			continue
		}
		if err := d.need(call, n.attribute, n.name); err != nil {
			return err
		}
		handles &^= n.kind
	}
	if handles != 0 {
		return fail(call, api.CodeNotSupported, "handle types %#x: the simulator has 1 (a file descriptor) and 8 (fabric)", int(handles))
	}
	return nil
}

// MemExport makes memory importable in this process.
func (d *device) MemExport(h api.MemHandle, t api.HandleType) (s api.Shareable, err error) {
	const call = "cuMemExportToShareableHandle"
	err = d.onPhysical(call, h, func(p *physical) (err error) {
		if t == api.HandleNone || p.handles&t != t {
			return fail(call, api.CodeInvalidValue, "the memory was not made for handle type %d: ask for it in MemCreate", t)
		}
		s, err = d.machine.exports.add(p).share(call, t)
		return err
	})
	return s, err
}

// MemImport makes another handle of exported memory, of whatever device.
func (d *device) MemImport(s api.Shareable) (api.MemHandle, error) {
	const call = "cuMemImportFromShareableHandle"
	if err := d.enterVirtual(call); err != nil {
		return 0, err
	}
	object, err := d.machine.exports.shared(call, s)
	if err != nil {
		return 0, err
	}
	m := d.machine
	m.space.mu.Lock()
	defer m.space.mu.Unlock()
	p, ok := object.(*physical)
	if !ok || p.refs == 0 {
		return 0, fail(call, api.CodeInvalidValue, "the handle is not one of memory from MemCreate that still exists")
	}
	p.refs++
	p.device.physical++
	return api.MemHandle(m.physicals.add(p)), nil
}
