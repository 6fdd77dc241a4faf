//go:build linux && !rmm_nocuda

package cuda

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver/internal/api"
)

// openPeer opens a second device of w's backend, or skips.
func (w work) openPeer(t *testing.T) *device {
	t.Helper()
	if w.b.count < 2 {
		t.Skipf("needs 2 devices: this machine has %d", w.b.count)
	}
	d, err := w.b.device(1)
	require.NoError(t, err)
	return d
}

// alloc is device memory until the end of the test.
func (w work) alloc(t *testing.T, size int) api.Ptr {
	t.Helper()
	p, err := w.MemAlloc(size)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.MemFree(p)) })
	return p
}

// put writes to the device and get reads from it; both are complete on return.
func (w work) put(t *testing.T, p api.Ptr, data []byte) {
	t.Helper()
	require.NoError(t, w.MemcpyHtoDAsync(p, data, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
}

func (w work) get(t *testing.T, p api.Ptr, n int) []byte {
	t.Helper()
	data := make([]byte, n)
	require.NoError(t, w.MemcpyDtoHAsync(data, p, w.s))
	require.NoError(t, w.StreamSynchronize(w.s))
	return data
}

// kernel is a kernel of testdata, until the end of the test.
func kernel(t *testing.T, d *device, file, name string) api.Function {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	m, err := d.ModuleLoad(text)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.ModuleUnload(m)) })
	f, err := d.ModuleFunction(m, name)
	require.NoError(t, err)
	return f
}

// arguments lays values out as kernel arguments.
func arguments(t *testing.T, values ...any) api.Params {
	t.Helper()
	var p api.Params
	for _, v := range values {
		if address, ok := v.(api.Ptr); ok {
			v = uint64(address)
		}
		p.Offsets = append(p.Offsets, len(p.Buf))
		var err error
		p.Buf, err = binary.Append(p.Buf, binary.LittleEndian, v)
		require.NoError(t, err)
		p.Buf = append(p.Buf, make([]byte, -len(p.Buf)&7)...)
	}
	return p
}

// blocks is the shape for n threads, one for each element.
func blocks(n int) api.LaunchConfig {
	const threads = 256
	return api.LaunchConfig{Grid: [3]uint32{uint32((n + threads - 1) / threads), 1, 1}, Block: [3]uint32{threads, 1, 1}}
}

// floats and its inverse are C's view of Go's numbers.
func floats(values []float32) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, values) // a Buffer takes everything
	return b.Bytes()
}

func floatsIn(t *testing.T, data []byte) []float32 {
	t.Helper()
	values := make([]float32, len(data)/4)
	require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, values))
	return values
}
