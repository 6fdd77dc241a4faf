package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/rmm-go/rmm-go/rmm"
)

// print writes the info for people.
func (info *machineInfo) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "rmm-go %s, %s, %s\n\n", info.Version, info.Go, info.Platform)
	for _, lib := range info.Libraries {
		lib.print(&b)
	}
	if info.Missing != "" {
		fmt.Fprintf(&b, "\nNo device through the backend %s: %s\n", info.Backend, info.Missing)
	} else {
		fmt.Fprintf(&b, "\nBackend %s, CUDA %s\n%s\n", info.Backend, info.CUDA, info.deviceTable())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (lib libraryInfo) print(b *strings.Builder) {
	if lib.Path != "" {
		fmt.Fprintf(b, "%s %s: %s (%s)\n", lib.Name, lib.Version, lib.Path, lib.Source)
		return
	}
	fmt.Fprintf(b, "%s: not found, tried\n", lib.Name)
	for _, c := range lib.Tried {
		fmt.Fprintf(b, "  %s\n", c)
	}
}

// deviceTable has a column per device.
func (info *machineInfo) deviceTable() string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	header := table.Row{"device"}
	rows := []table.Row{{"name"}, {"UUID"}, {"compute capability"}, {"memory, free"}, {"memory, total"}}
	for _, c := range capabilities {
		rows = append(rows, table.Row{c.name})
	}
	for _, d := range info.Devices {
		header = append(header, d.Ordinal)
		cells := []any{d.Name, d.UUID, d.ComputeCapability, rmm.FormatBytes(d.FreeBytes), rmm.FormatBytes(d.TotalBytes)}
		for _, c := range capabilities {
			cells = append(cells, yesNo(d.Capabilities[c.name]))
		}
		for i, cell := range cells {
			rows[i] = append(rows[i], cell)
		}
	}
	t.AppendHeader(header)
	t.AppendRows(rows)
	return t.Render()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
