package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rmm-go/rmm-go/driver"
	"github.com/rmm-go/rmm-go/driver/drivertest"
	"github.com/rmm-go/rmm-go/rmm"
	"github.com/rmm-go/rmm-go/rmm/replay"
)

// rmmCommand runs the command in this process.
func rmmCommand(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// writeLog makes a log file of the given rows.
func writeLog(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.csv")
	text := "Thread,Time,Action,Pointer,Size,Stream\n" + strings.Join(rows, "\n") + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func jsonReport(t *testing.T, args ...string) (int, report) {
	t.Helper()
	code, stdout, stderr := rmmCommand(append([]string{"replay", "--json"}, args...)...)
	var r report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r), "stdout is pure JSON: %s\n%s", stdout, stderr)
	return code, r
}

func TestReplayOfTheEmbeddedTrace(t *testing.T) {
	code, stdout, stderr := rmmCommand("replay")
	require.Zero(t, code, stderr)
	first, rest, _ := strings.Cut(stdout, "\n")
	require.Contains(t, first, "running on")
	for _, want := range []string{"embedded trace", "8 streams", "cuda-async", "median", "p99", "peak reserved"} {
		require.Contains(t, rest, want)
	}
	require.NotContains(t, rest, "failed")
}

func TestReplayComparesResourcesAndModes(t *testing.T) {
	code, r := jsonReport(t, "--resource", "cuda,cuda-async,managed,pinned-host", "--mode", "sequential,parallel", "--repeat", "2")
	require.Zero(t, code)
	require.Len(t, r.Results, 8)
	for i, got := range r.Results {
		require.Equal(t, rmm.AllocatorNames()[i%4], got.Resource)
		require.Equal(t, "embedded trace", got.File)
		require.Zero(t, got.Failed+got.OutOfMemory+got.UnmatchedFrees)
		require.Greater(t, got.Events, 1000)
		require.Equal(t, 8, got.Streams)
		require.Positive(t, got.PeakLiveBytes)
		require.GreaterOrEqual(t, got.PeakReservedBytes, got.PeakLiveBytes/2, got.Resource)
		require.Positive(t, got.ColdNsPerOpMean)
		require.GreaterOrEqual(t, got.NsPerOpMax, got.NsPerOpP99)
		require.GreaterOrEqual(t, got.NsPerOpP99, got.NsPerOpMedian)
	}
}

// The names of the JSON are an interface to other programs.
func TestReplayJSONFields(t *testing.T) {
	_, stdout, _ := rmmCommand("replay", "--json", "--backend", "sim", "--resource", "cuda", "--repeat", "1")
	var r struct {
		Results []map[string]any `json:"results"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	var names []string
	for name := range r.Results[0] {
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{"file", "resource", "mode", "threads", "streams", "events", "cold_ns_per_op_mean",
		"ns_per_op_mean", "ns_per_op_median", "ns_per_op_p99", "ns_per_op_max", "peak_live_bytes", "peak_reserved_bytes",
		"failed", "out_of_memory", "unmatched_frees", "live_at_end", "live_bytes_at_end"}, names)
	require.Contains(t, stdout, `"backend": "sim"`)
	require.Contains(t, stdout, `"device": "`)
	require.Equal(t, "sequential", r.Results[0]["mode"])
}

func TestReplayCountsWhatTheLogLeavesLive(t *testing.T) {
	path := writeLog(t, "1,10:00:00.000001,allocate,0x100,1000,0x0", "1,10:00:00.000002,allocate,0x800,300,0x0",
		"1,10:00:00.000003,free,0x100,1000,0x0", "1,10:00:00.000004,allocate failure,(nil),99,0x0")
	code, r := jsonReport(t, "--backend", "sim", "--resource", "cuda", path)
	require.Zero(t, code)
	got := r.Results[0]
	require.Equal(t, 1, got.LiveAtEnd)
	require.Equal(t, 300, got.LiveBytesAtEnd)
	require.Equal(t, 1024+512, got.PeakLiveBytes)
	code, stdout, _ := rmmCommand("replay", "--backend", "sim", "--resource", "cuda", path)
	require.Zero(t, code)
	require.Contains(t, stdout, "leaves 1 allocations (300 B) live")
	require.Contains(t, stdout, "has 1 failed allocations")
}

func TestReplayStatusTellsTrouble(t *testing.T) {
	unmatched := writeLog(t, "1,10:00:00.000001,free,0x100,1000,0x0")
	code, stdout, stderr := rmmCommand("replay", "--backend", "sim", unmatched)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "frees 1 times what is not live")
	require.Contains(t, stderr, "see the output")

	huge := writeLog(t, "1,10:00:00.000001,allocate,0x100,1000000000000000,0x0", "1,10:00:00.000002,free,0x100,1000000000000000,0x0")
	code, r := jsonReport(t, "--backend", "sim", "--resource", "cuda", "--repeat", "1", huge)
	require.Equal(t, 1, code)
	require.Equal(t, 1, r.Results[0].OutOfMemory)
	require.Zero(t, r.Results[0].Failed)
}

func TestReplayRefusesBadInput(t *testing.T) {
	broken := writeLog(t, "1,10:00:00.000001,allocate,0x100,many,0x0")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--backend", "tpu"}, []string{"tpu", "auto, cuda, cudart, sim"}},
		{[]string{"--resource", "jemalloc"}, []string{"--resource", "jemalloc", "cuda, cuda-async, managed, pinned-host"}},
		{[]string{"--mode", "random"}, []string{"--mode", "sequential, parallel"}},
		{[]string{"--repeat", "0"}, []string{"--repeat", "at least one"}},
		{[]string{"--initial", "2k"}, []string{"--initial", "KiB"}},
		{[]string{"--backend", "sim", filepath.Join(t.TempDir(), "missing.csv")}, []string{"missing.csv"}},
		{[]string{"--backend", "sim", broken}, []string{broken, "many", ":2:"}},
		{[]string{"--backend", "sim", "--resource", "cuda-async", "--initial", "1000000GiB"}, []string{"out of memory"}},
	} {
		code, stdout, stderr := rmmCommand(append([]string{"replay"}, c.args...)...)
		require.Equal(t, 1, code, c.args)
		for _, want := range c.want {
			require.Contains(t, stderr, want, "%v printed %s", c.args, stdout)
		}
	}
}

func TestReplayChecksOrderOnTheSimulator(t *testing.T) {
	code, stdout, stderr := rmmCommand("replay", "--backend", "sim", "--check", "--repeat", "1", "--resource", "cuda,cuda-async,managed,pinned-host")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "cuda-async")
	if drivertest.Device(t).Driver().Backend() != driver.Sim {
		code, _, stderr = rmmCommand("replay", "--check")
		require.Equal(t, 1, code)
		require.Contains(t, stderr, "--backend sim")
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	require.Equal(t, 1, run(ctx, []string{"replay", "--backend", "sim"}, &out, &errs))
	require.Contains(t, errs.String(), context.Canceled.Error())
}

func TestBackendFlagWinsOverEnvironment(t *testing.T) {
	t.Setenv("RMM_BACKEND", "opencl")
	code, _, stderr := rmmCommand("replay")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "opencl")
	code, stdout, _ := rmmCommand("replay", "--backend", "sim", "--repeat", "1")
	require.Zero(t, code)
	require.Contains(t, stdout, "simulator")
}

func TestNoGPUFallsBackToTheSimulatorAndSaysSo(t *testing.T) {
	t.Setenv("RMM_BACKEND", "")
	t.Setenv("RMM_LIBCUDA", filepath.Join(t.TempDir(), "libcuda.so.1"))
	code, stdout, stderr := rmmCommand("replay", "--repeat", "1", "--resource", "cuda")
	require.Zero(t, code, stderr)
	first, _, _ := strings.Cut(stdout, "\n")
	require.Contains(t, first, "no GPU here")
	require.Contains(t, first, "running on the simulator")
	code, stdout, stderr = rmmCommand("replay", "--json", "--repeat", "1", "--resource", "cuda")
	require.Zero(t, code)
	require.True(t, strings.HasPrefix(stdout, "{"), "stdout is pure JSON")
	require.Contains(t, stderr, "running on the simulator")
}

func TestInfoWithoutGPU(t *testing.T) {
	t.Setenv("RMM_BACKEND", "")
	t.Setenv("RMM_LIBCUDA", filepath.Join(t.TempDir(), "libcuda.so.1"))
	code, stdout, stderr := rmmCommand("info")
	require.Zero(t, code, stderr)
	for _, want := range []string{"libcuda: not found", "No device", "RMM_BACKEND=sim"} {
		require.Contains(t, stdout, want)
	}
	code, stdout, _ = rmmCommand("info", "--json")
	require.Zero(t, code)
	var info machineInfo
	require.NoError(t, json.Unmarshal([]byte(stdout), &info))
	require.NotEmpty(t, info.Missing)
	require.NotEmpty(t, info.Libraries[0].Tried)
	require.Empty(t, info.Devices)
}

func TestInfoListsDevices(t *testing.T) {
	dev := drivertest.Device(t)
	backend := dev.Driver().Backend().String()
	code, stdout, stderr := rmmCommand("info", "--backend", backend)
	require.Zero(t, code, stderr)
	for _, want := range []string{dev.Name(), dev.UUID(), "memory pools", "virtual memory management", "compute capability"} {
		require.Contains(t, stdout, want)
	}
	code, stdout, _ = rmmCommand("info", "--backend", backend, "--json")
	require.Zero(t, code)
	var info machineInfo
	require.NoError(t, json.Unmarshal([]byte(stdout), &info))
	require.Empty(t, info.Missing)
	require.Equal(t, dev.UUID(), info.Devices[0].UUID)
	require.Equal(t, dev.TotalMemory(), info.Devices[0].TotalBytes)
	require.True(t, info.Devices[0].Capabilities["memory pools"])
}

func TestInfoRefusesArguments(t *testing.T) {
	code, _, stderr := rmmCommand("info", "everything")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "everything")
	code, _, stderr = rmmCommand("info", "--backend", "x")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "unknown backend")
}

func TestFirstLineIsTheInnermostReason(t *testing.T) {
	t.Setenv("RMM_LIBCUDA", "/nowhere/libcuda.so.1")
	_, err := driver.Open(driver.Options{Backend: driver.CUDA})
	require.Error(t, err)
	require.NotContains(t, firstLine(err), "\n")
	require.NotEmpty(t, firstLine(err))
}

// What a replay takes from the device is back when it ends. The first replay
// lets the driver take what it keeps for itself.
func TestReplayLeavesTheDeviceAsItWas(t *testing.T) {
	dev := drivertest.Device(t)
	j := job{resources: rmm.AllocatorNames(), modes: []replay.Mode{replay.Sequential, replay.Parallel}, repeat: 2}
	free := func() int {
		_, err := j.run(t.Context(), dev, &progress{})
		require.NoError(t, err)
		require.NoError(t, dev.Synchronize())
		free, _, err := dev.MemInfo()
		require.NoError(t, err)
		return free
	}
	before := free()
	require.Equal(t, before, free())
}
