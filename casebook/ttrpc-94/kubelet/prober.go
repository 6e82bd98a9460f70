package main

import (
	"log"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"

	"example.com/edgeworks/node/kubelet/remote"
	"example.com/edgeworks/node/kubelet/stats"
)

// probe runs the liveness command of a container for ever.
func probe(runtime *remote.RuntimeService, container *runtimeapi.Container, period, timeout time.Duration) {
	failures := 0
	for range time.Tick(period) {
		code, err := runtime.ExecSync(container.Id, []string{"test", "-f", "/run/alive"}, timeout)
		switch {
		case err != nil:
			failures++
			log.Printf("Liveness probe for %q errored (%d): %v", container.Metadata.Name, failures, err)
		case code != 0:
			failures++
			log.Printf("Liveness probe for %q failed (%d)", container.Metadata.Name, failures)
		default:
			failures = 0
		}
	}
}

// evictionManager watches what the pods use.
type evictionManager struct {
	stats *stats.Provider
	limit uint64
}

func (m *evictionManager) start(period time.Duration) {
	for {
		if err := m.synchronize(); err != nil {
			log.Printf("eviction manager: failed to get summary stats: %v", err)
		}
		time.Sleep(period)
	}
}

func (m *evictionManager) synchronize() error {
	pods, err := m.stats.ListPodStats()
	if err != nil {
		return err
	}
	for _, pod := range pods {
		var used uint64
		for _, c := range pod.Containers {
			used += c.WorkingSetBytes
		}
		if used > m.limit {
			log.Printf("eviction manager: pod %s/%s uses %d bytes", pod.Namespace, pod.Name, used)
		}
	}
	return nil
}
