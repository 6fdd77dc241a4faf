package loader

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
)

// elfMachines are the processors that this module is built for.
var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// inspectMachine refuses a shared object for another processor. The dynamic
// linker only says that it cannot open such a file.
func inspectMachine(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var head struct {
		Ident   [elf.EI_NIDENT]byte
		Type    elf.Type
		Machine elf.Machine
	}
	if err := binary.Read(file, binary.LittleEndian, &head); err != nil || string(head.Ident[:4]) != elf.ELFMAG {
		return nil // no shared object: the dynamic linker says so
	}
	if want, known := elfMachines[runtime.GOARCH]; known && head.Machine != want {
		return fmt.Errorf("is for another processor: %v, this program runs on %v", head.Machine, want)
	}
	return nil
}
