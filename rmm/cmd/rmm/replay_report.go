package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rmm-go/rmm-go/rmm"
)

// report is the JSON form of all results.
type report struct {
	Backend string   `json:"backend"`
	Device  string   `json:"device"`
	Results []result `json:"results"`
}

// print writes a table for each log and mode, with the resources side by side.
func (r report) print(w io.Writer) error {
	var b strings.Builder
	for rest := r.Results; len(rest) > 0; {
		n := sameReplay(rest)
		printGroup(&b, rest[:n])
		rest = rest[n:]
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sameReplay counts the leading results of one log and mode.
func sameReplay(results []result) int {
	n := 1
	for n < len(results) && results[n].File == results[0].File && results[n].Mode == results[0].Mode {
		n++
	}
	return n
}

func printGroup(b *strings.Builder, group []result) {
	first := group[0]
	fmt.Fprintf(b, "\n%s: %d events, %d threads, %d streams, peak live %s, replayed %s\n",
		first.File, first.Events, first.Threads, first.Streams, rmm.FormatBytes(first.PeakLiveBytes), first.Mode)
	fmt.Fprintln(b, groupTable(group))
	for _, r := range group {
		printTrouble(b, r)
	}
	if first.LiveAtEnd > 0 {
		fmt.Fprintf(b, "The log leaves %d allocations (%s) live; they were freed.\n", first.LiveAtEnd, rmm.FormatBytes(first.LiveBytesAtEnd))
	}
	if first.LoggedFailures > 0 {
		fmt.Fprintf(b, "The log has %d failed allocations; they were skipped.\n", first.LoggedFailures)
	}
}

func groupTable(group []result) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"ns per operation", "cold mean", "mean", "median", "p99", "max", "peak reserved"})
	for _, r := range group {
		t.AppendRow(table.Row{r.Resource, ns(r.ColdNsPerOpMean), ns(r.NsPerOpMean), r.NsPerOpMedian, r.NsPerOpP99, r.NsPerOpMax, rmm.FormatBytes(r.PeakReservedBytes)})
	}
	var columns []table.ColumnConfig
	for i := 2; i <= 7; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t.Render()
}

func ns(mean float64) string { return fmt.Sprintf("%.0f", mean) }

// printTrouble says what went wrong with a replay, if anything did.
func printTrouble(b *strings.Builder, r result) {
	if r.Failed > 0 {
		fmt.Fprintf(b, "%s: %d operations failed, first: %v\n", r.Resource, r.Failed, r.FirstFailure)
	}
	if r.OutOfMemory > 0 {
		fmt.Fprintf(b, "%s: %d allocations ran out of memory, first failure: %v\n", r.Resource, r.OutOfMemory, r.FirstFailure)
	}
	if r.UnmatchedFrees > 0 {
		fmt.Fprintf(b, "%s: the log frees %d times what is not live\n", r.Resource, r.UnmatchedFrees)
	}
}
