package replay

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestTurnstileWakesTheRightOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn turnstile
		turn.init()
		var through [4]bool
		for i := range through {
			go func() {
				turn.wait(int64(i))
				through[i] = true
			}()
		}
		for n := range int64(len(through)) {
			turn.pass(n)
			synctest.Wait()
			for i := range through {
				require.Equal(t, int64(i) <= n, through[i], "waiter for %d after %d", i, n)
			}
		}
	})
}

func TestTurnstileOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn turnstile
		turn.init()
		var waiters sync.WaitGroup
		for i := range 10 {
			waiters.Go(func() { turn.wait(int64(i * 1000)) })
		}
		synctest.Wait()
		turn.open()
		waiters.Wait()
	})
}

// TestTurnstileHammer has two goroutines take turns, each awaiting every step
// of the other: a lost wake-up would hang it.
func TestTurnstileHammer(t *testing.T) {
	var ping, pong turnstile
	ping.init()
	pong.init()
	const steps = 20_000
	var players sync.WaitGroup
	players.Go(func() {
		for i := range int64(steps) {
			ping.pass(i + 1)
			pong.sleep(i + 1)
		}
	})
	players.Go(func() {
		for i := range int64(steps) {
			ping.sleep(i + 1)
			pong.pass(i + 1)
		}
	})
	players.Wait()
	require.Equal(t, int64(steps), pong.done.Load())
}
