package driver_test

import (
	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/internal/api"
)

var peerCases = []conformanceCase{
	one("peer/a-device-is-no-peer-of-itself", aDeviceIsNoPeerOfItself),
	two("peer/access-can-be-enabled-once", peerAccessCanBeEnabledOnce),
	two("peer/access-is-of-one-direction", peerAccessIsOfOneDirection),
	two("peer/pools-start-without-access", poolsStartWithoutPeerAccess),
	two("peer/pool-access-can-be-set", poolAccessCanBeSet),
	two("peer/pool-access-does-not-follow-the-context", poolAccessDoesNotFollowTheContext),
	two("peer/a-pool-cannot-shut-its-device-out", aPoolCannotShutItsDeviceOut),
	two("peer/virtual-memory-of-a-peer", virtualMemoryOfAPeer),
}

// peers skips the case where the devices cannot reach each other.
func (b *bench) peers() {
	offers[api.Peer](b, "peer access")
	can, err := b.dev.CanAccessPeer(b.peer)
	b.ok(err)
	if !can {
		b.Skipf("this machine has devices that are no peers")
	}
}

// peerPool is a pool of the peer.
func (b *bench) peerPool() *driver.Pool {
	pool, err := b.peer.NewPool(driver.PoolOptions{})
	b.ok(err)
	b.Cleanup(func() { b.ok(pool.Close()) })
	return pool
}

// reaches checks what a device may do with the memory of a pool.
func (b *bench) reaches(pool *driver.Pool, dev *driver.Device, want driver.Access) {
	got, err := pool.Access(dev)
	b.ok(err)
	if got != want {
		b.Fatalf("%v has access %d to the pool, want %d", dev, got, want)
	}
}

// Documented for the question. Measured: which error enabling answers.
func aDeviceIsNoPeerOfItself(b *bench) {
	offers[api.Peer](b, "peer access")
	can, err := b.dev.CanAccessPeer(b.dev)
	b.ok(err)
	if can {
		b.Fatalf("it is")
	}
	const codePeerAccessUnsupported = 217
	b.fails(b.dev.EnablePeerAccess(b.dev), codePeerAccessUnsupported)
}

// Documented: CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED and _NOT_ENABLED.
func peerAccessCanBeEnabledOnce(b *bench) {
	b.peers()
	b.ok(b.dev.EnablePeerAccess(b.peer))
	b.fails(b.dev.EnablePeerAccess(b.peer), api.CodePeerAccessEnabled)
	b.ok(b.dev.DisablePeerAccess(b.peer))
	b.fails(b.dev.DisablePeerAccess(b.peer), api.CodePeerAccessNotEnabled)
}

// Documented: access is granted unidirectionally.
func peerAccessIsOfOneDirection(b *bench) {
	b.peers()
	b.ok(b.dev.EnablePeerAccess(b.peer))
	b.Cleanup(func() { b.ok(b.dev.DisablePeerAccess(b.peer)) })
	b.fails(b.peer.DisablePeerAccess(b.dev), api.CodePeerAccessNotEnabled)
}

// Documented.
func poolsStartWithoutPeerAccess(b *bench) {
	b.peers()
	pool := b.peerPool()
	b.reaches(pool, b.dev, driver.AccessNone)
	b.reaches(pool, b.peer, driver.AccessReadWrite)
}

// Documented: cuMemPoolSetAccess.
func poolAccessCanBeSet(b *bench) {
	b.peers()
	pool := b.peerPool()
	b.ok(pool.SetAccess(b.dev, driver.AccessReadWrite))
	b.reaches(pool, b.dev, driver.AccessReadWrite)
	b.ok(pool.SetAccess(b.dev, driver.AccessNone))
	b.reaches(pool, b.dev, driver.AccessNone)
}

// Documented: neither pools nor virtual memory follow cuCtxEnablePeerAccess.
func poolAccessDoesNotFollowTheContext(b *bench) {
	b.peers()
	pool := b.peerPool()
	b.ok(b.dev.EnablePeerAccess(b.peer))
	b.Cleanup(func() { b.ok(b.dev.DisablePeerAccess(b.peer)) })
	b.reaches(pool, b.dev, driver.AccessNone)
}

// Documented: revoking the owner's access is an error. To be measured: which.
func aPoolCannotShutItsDeviceOut(b *bench) {
	b.peers()
	pool := b.peerPool()
	b.fails(pool.SetAccess(b.peer, driver.AccessNone), api.CodeInvalidValue, api.CodeInvalidDevice)
	b.reaches(pool, b.peer, driver.AccessReadWrite)
}

// Documented: memory of one device, mapped for both.
func virtualMemoryOfAPeer(b *bench) {
	b.peers()
	n := b.piece()
	p := b.reserve(n)
	h, err := b.peer.MemCreate(n, driver.HandleNone)
	b.ok(err)
	b.Cleanup(func() { b.ok(h.Release()) })
	b.ok(h.Map(p))
	b.Cleanup(func() { b.ok(b.peer.MemUnmap(p, n)) })
	b.ok(b.peer.MemSetAccess(p, n, b.peer, driver.AccessReadWrite))
	b.ok(b.peer.MemSetAccess(p, n, b.dev, driver.AccessReadWrite))
	b.set(p, n, 1)
	got := make([]byte, kib)
	b.ok(b.peer.MemcpyDtoH(got, p))
	if got[kib-1] != 1 {
		b.Fatalf("the peer reads %d, want 1", got[kib-1])
	}
}
