package main

import (
	"strconv"
	"time"

	v1 "github.com/containerd/cgroups/stats/v1"
	"github.com/containerd/typeurl"
	ptypes "github.com/gogo/protobuf/types"
)

const (
	cpus    = 96 // of the node; a cgroup v1 reports each
	devices = 28 // disks, device mapper volumes and loop devices
)

var operations = []string{"Read", "Write", "Sync", "Async", "Discard", "Total"}

// readCgroup gathers what the pod's cgroup v1 controllers report for a
// container.
func readCgroup(pid uint32) (*ptypes.Any, error) {
	used := uint64(time.Now().UnixNano()) / 7
	usage := &v1.CPUUsage{User: used / 3, Kernel: used / 5, PerCPU: make([]uint64, cpus)}
	for cpu := range usage.PerCPU {
		usage.PerCPU[cpu] = used/cpus + uint64(cpu)*1009
		usage.Total += usage.PerCPU[cpu]
	}
	resident := uint64(48<<20) + uint64(pid%97)<<16
	return typeurl.MarshalAny(&v1.Metrics{
		Pids:   &v1.PidsStat{Current: 11, Limit: 4096},
		CPU:    &v1.CPUStat{Usage: usage, Throttling: &v1.Throttle{Periods: used >> 20, ThrottledTime: used >> 12}},
		Memory: &v1.MemoryStat{RSS: resident, Cache: resident / 3, Usage: &v1.MemoryEntry{Usage: resident * 4 / 3, Limit: 1 << 30}},
		Blkio: &v1.BlkIOStat{
			IoServiceBytesRecursive: blkio(used >> 10),
			IoServicedRecursive:     blkio(used >> 22),
			IoServiceTimeRecursive:  blkio(used >> 8),
			IoWaitTimeRecursive:     blkio(used >> 9),
		},
	})
}

func blkio(n uint64) []*v1.BlkIOEntry {
	entries := make([]*v1.BlkIOEntry, 0, devices*len(operations))
	for minor := uint64(0); minor < devices; minor++ {
		for _, op := range operations {
			entries = append(entries, &v1.BlkIOEntry{
				Op:     op,
				Device: "/dev/dm-" + strconv.FormatUint(minor, 10),
				Major:  253,
				Minor:  minor,
				Value:  n + minor,
			})
		}
	}
	return entries
}
