// Command consumer is a program of somebody who uses the library: the gate
// builds it in a module of its own, with a replace line, and runs it.
package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/rmm/mr"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	drv, err := driver.Open(driver.Options{Backend: driver.Sim})
	if err != nil {
		return err
	}
	defer drv.Close()
	dev, err := drv.DefaultDevice()
	if err != nil {
		return err
	}
	stream, err := dev.NewStream(driver.StreamOptions{})
	if err != nil {
		return err
	}
	defer stream.Close()
	resource, err := mr.NewCuda(dev)
	if err != nil {
		return err
	}
	return roundTrip(resource, stream, []byte("there and back again"))
}

// roundTrip copies message to device memory of resource and back.
func roundTrip(resource mr.Resource, stream *driver.Stream, message []byte) error {
	p, err := resource.Allocate(len(message), 0, stream)
	if err != nil {
		return err
	}
	back := make([]byte, len(message))
	if err := thereAndBack(p, message, back, stream); err != nil {
		return err
	}
	if !bytes.Equal(message, back) {
		return fmt.Errorf("got %q back, want %q", back, message)
	}
	fmt.Printf("%s on %s\n", back, resource.Device())
	return resource.Deallocate(p, len(message), 0, stream)
}

func thereAndBack(p driver.Ptr, out, in []byte, stream *driver.Stream) error {
	if err := stream.MemcpyHtoDAsync(p, out); err != nil {
		return err
	}
	if err := stream.MemcpyDtoHAsync(in, p); err != nil {
		return err
	}
	return stream.Synchronize()
}
