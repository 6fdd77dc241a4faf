//go:build linux || darwin

package sim

import "syscall"

// descriptor returns a file descriptor that belongs to the caller and carries a
// token: one end of a pair of sockets, whose other end has sent it and is
// closed. Duplicates of it carry the token too.
func descriptor(token []byte) (int, error) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, err
	}
	_, err = syscall.Write(pair[1], token)
	_ = syscall.Close(pair[1]) // what was sent stays in the other end
	if err != nil {
		_ = syscall.Close(pair[0])
		return 0, err
	}
	return pair[0], nil
}

// peek reads the token of a descriptor and leaves it there.
func peek(fd int) ([]byte, error) {
	b := make([]byte, len(token{}))
	n, _, err := syscall.Recvfrom(fd, b, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return b[:max(n, 0)], err
}
