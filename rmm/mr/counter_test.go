package mr

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is the stack of counters as RMM keeps it: each level counts for itself,
// and a popped one is folded into the one below.
type model []Counter

func (m model) top() *Counter { return &m[len(m)-1] }

func (m model) add(n int) {
	c := m.top()
	c.Value += n
	c.Total += n
	c.Peak = max(c.Peak, c.Value)
}

func (m model) pop() model {
	child, rest := *m.top(), m[:len(m)-1]
	c := rest.top()
	c.Peak = max(c.Peak, c.Value+child.Peak)
	c.Value += child.Value
	c.Total += child.Total
	return rest
}

func TestCounterFoldsLevelsAsRMMDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &Statistics{}
		m := model{{}}
		amount := rapid.IntRange(0, 100)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				n := amount.Draw(t, "n")
				a.bytes.add(n)
				m.add(n)
			},
			"take": func(t *rapid.T) {
				n := amount.Draw(t, "n")
				a.bytes.take(n)
				m.top().Value -= n
			},
			"push": func(t *rapid.T) {
				require.Equal(t, *m.top(), a.PushCounters().Bytes)
				m = append(m, Counter{})
			},
			"pop": func(t *rapid.T) {
				popped, err := a.PopCounters()
				if len(m) == 1 {
					require.ErrorIs(t, err, ErrNotPushed)
					return
				}
				require.NoError(t, err)
				require.Equal(t, *m.top(), popped.Bytes)
				m = m.pop()
			},
			"": func(t *rapid.T) { require.Equal(t, *m.top(), a.Counters().Bytes) },
		})
	})
}
