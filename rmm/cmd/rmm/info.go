package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/loader"
)

// machineInfo is what rmm info prints, and its JSON form.
type machineInfo struct {
	Version   string        `json:"version"`
	Go        string        `json:"go"`
	Platform  string        `json:"platform"`
	Libraries []libraryInfo `json:"libraries"`
	Backend   string        `json:"backend"`
	CUDA      string        `json:"cuda_version,omitempty"`
	Missing   string        `json:"missing,omitempty"`
	Devices   []deviceInfo  `json:"devices"`
}

type libraryInfo struct {
	Name    string   `json:"name"`
	Path    string   `json:"path,omitempty"`
	Source  string   `json:"source,omitempty"`
	Version string   `json:"version,omitempty"`
	Tried   []string `json:"tried,omitempty"`
}

type deviceInfo struct {
	Ordinal           int             `json:"ordinal"`
	Name              string          `json:"name"`
	UUID              string          `json:"uuid"`
	ComputeCapability string          `json:"compute_capability"`
	FreeBytes         int             `json:"free_bytes"`
	TotalBytes        int             `json:"total_bytes"`
	Capabilities      map[string]bool `json:"capabilities"`
}

// capabilities are the yes-or-no attributes that decide which resources a
// device can have, in the order of the table.
var capabilities = []struct {
	name      string
	attribute driver.Attribute
}{
	{"memory pools", driver.AttrMemoryPoolsSupported},
	{"managed memory", driver.AttrManagedMemory},
	{"concurrent managed access", driver.AttrConcurrentManagedAccess},
	{"pageable memory access", driver.AttrPageableMemoryAccess},
	{"virtual memory management", driver.AttrVirtualMemoryManagementSupported},
	{"fabric handles", driver.AttrHandleTypeFabricSupported},
	{"integrated memory", driver.AttrIntegrated},
}

func newInfo() *cobra.Command {
	var backend backendFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Show the CUDA libraries and devices of this machine, and what they can do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := gatherInfo(&backend)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), info)
			}
			return info.print(cmd.OutOrStdout())
		},
	}
	backend.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// gatherInfo asks the machine. A machine without a GPU is no error: what is
// missing is part of the answer.
func gatherInfo(backend *backendFlag) (*machineInfo, error) {
	kind, err := backend.resolve()
	if err != nil {
		return nil, err
	}
	info := &machineInfo{
		Version:   moduleVersion(),
		Go:        runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Libraries: []libraryInfo{findLibrary(loader.CUDA()), findLibrary(loader.CUDART())},
		Backend:   kind.String(),
		Devices:   []deviceInfo{},
	}
	drv, err := driver.Open(driver.Options{Backend: kind})
	if err != nil {
		info.Missing = err.Error()
		return info, nil
	}
	info.Backend, info.CUDA = drv.Backend().String(), drv.Version().String()
	if err := info.addDevices(drv); err != nil {
		return nil, errors.Join(err, drv.Close())
	}
	return info, drv.Close()
}

func moduleVersion() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}

func findLibrary(spec loader.Spec) libraryInfo {
	lib, err := loader.Open(spec, "")
	if err == nil {
		return libraryInfo{Name: lib.Name(), Path: lib.Path(), Source: lib.Source(), Version: driver.Version(lib.Version()).String()}
	}
	out := libraryInfo{Name: spec.Name, Tried: []string{err.Error()}}
	var search *loader.SearchError
	if errors.As(err, &search) {
		out.Tried = nil
		for _, c := range search.Candidates {
			out.Tried = append(out.Tried, fmt.Sprintf("%s (%s): %v", c.Path, c.Source, c.Err))
		}
	}
	return out
}

func (info *machineInfo) addDevices(drv *driver.Driver) error {
	for ordinal := range drv.DeviceCount() {
		dev, err := drv.Device(ordinal)
		if err != nil {
			return err
		}
		d, err := describeDevice(dev)
		if err != nil {
			return err
		}
		info.Devices = append(info.Devices, d)
	}
	return nil
}

func describeDevice(dev *driver.Device) (deviceInfo, error) {
	d := deviceInfo{Ordinal: dev.Ordinal(), Name: dev.Name(), UUID: dev.UUID(), Capabilities: map[string]bool{}}
	major, minor, err := dev.ComputeCapability()
	if err != nil {
		return d, err
	}
	d.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
	if d.FreeBytes, d.TotalBytes, err = dev.MemInfo(); err != nil {
		return d, err
	}
	for _, c := range capabilities {
		if d.Capabilities[c.name], err = dev.Has(c.attribute); err != nil {
			return d, err
		}
	}
	return d, nil
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
