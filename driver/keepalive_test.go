package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func someMemory(n int) kept {
	b := make([]byte, n)
	return kept{&b[0], n}
}

func TestKeepAliveReleasesAPrefix(t *testing.T) {
	var k keepAlive
	k.hold(someMemory(1))
	k.hold(someMemory(2))
	mark := k.mark()
	k.hold(someMemory(4))

	k.release(mark)
	require.Len(t, k.refs, 1)
	require.Equal(t, 4, k.refs[0].bytes)
	require.Equal(t, 4, k.bytes)
}

func TestKeepAliveIgnoresAStaleMark(t *testing.T) {
	var k keepAlive
	k.hold(someMemory(1))
	early := k.mark()
	k.hold(someMemory(2))
	late := k.mark()
	k.release(late)
	k.hold(someMemory(4))

	k.release(early)
	require.Len(t, k.refs, 1, "a mark that was overtaken releases nothing")
	require.Equal(t, 4, k.bytes)
}

func TestKeepAliveDropsItsReferences(t *testing.T) {
	var k keepAlive
	k.hold(someMemory(1))
	k.hold(someMemory(1))
	backing := k.refs
	k.release(k.mark())
	for i := range backing {
		require.Nil(t, backing[i].first, "reference %d stays reachable behind the list", i)
	}
}

func TestKeepAliveTakeEmptiesTheList(t *testing.T) {
	var k keepAlive
	k.hold(someMemory(3))
	mark := k.mark()
	require.Len(t, k.take(), 1)
	require.Empty(t, k.take())
	require.Zero(t, k.bytes)
	k.hold(someMemory(5))
	k.release(mark)
	require.Equal(t, 5, k.bytes, "a mark from before take releases nothing held since")
}

func TestKeepAliveIsDueByCountAndByBytes(t *testing.T) {
	var k keepAlive
	for range holdCount {
		require.False(t, k.due())
		k.hold(someMemory(1))
	}
	require.True(t, k.due())
	k.release(k.mark())
	require.False(t, k.due())

	k.hold(someMemory(holdBytes))
	require.True(t, k.due())
}
