// Package stats gathers what the node's pods use.
package stats

import (
	"fmt"
	"sort"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"

	"example.com/edgeworks/node/kubelet/remote"
)

// ContainerStats is the usage of a container.
type ContainerStats struct {
	Name                 string `json:"name"`
	UsageCoreNanoSeconds uint64 `json:"usageCoreNanoSeconds"`
	WorkingSetBytes      uint64 `json:"workingSetBytes"`
}

// PodStats is the usage of a pod.
type PodStats struct {
	Namespace  string           `json:"namespace"`
	Name       string           `json:"name"`
	Containers []ContainerStats `json:"containers"`
}

// Provider gathers stats from the container runtime.
type Provider struct {
	runtime *remote.RuntimeService
}

// NewProvider returns a provider for a runtime.
func NewProvider(runtime *remote.RuntimeService) *Provider {
	return &Provider{runtime: runtime}
}

// ListPodStats returns the usage of all pods of the node.
func (p *Provider) ListPodStats() ([]PodStats, error) {
	containers, err := p.runtime.ListContainers()
	if err != nil {
		return nil, fmt.Errorf("failed to list all containers: %w", err)
	}
	sandboxes, err := p.runtime.ListPodSandbox()
	if err != nil {
		return nil, fmt.Errorf("failed to list all pod sandboxes: %w", err)
	}
	podSandboxes := make(map[string]*runtimeapi.PodSandbox, len(sandboxes))
	for _, s := range sandboxes {
		podSandboxes[s.Id] = s
	}
	containerMap := make(map[string]*runtimeapi.Container, len(containers))
	for _, c := range containers {
		containerMap[c.Id] = c
	}

	usage, err := p.runtime.ListContainerStats(&runtimeapi.ContainerStatsFilter{})
	if err != nil {
		return nil, fmt.Errorf("failed to list all container stats: %w", err)
	}
	pods := make(map[string]*PodStats)
	for _, u := range usage {
		container, ok := containerMap[u.Attributes.Id]
		if !ok {
			continue
		}
		sandbox, ok := podSandboxes[container.PodSandboxId]
		if !ok {
			continue
		}
		pod, ok := pods[sandbox.Id]
		if !ok {
			pod = &PodStats{Namespace: sandbox.Metadata.Namespace, Name: sandbox.Metadata.Name}
			pods[sandbox.Id] = pod
		}
		pod.Containers = append(pod.Containers, ContainerStats{
			Name:                 container.Metadata.Name,
			UsageCoreNanoSeconds: u.Cpu.UsageCoreNanoSeconds.Value,
			WorkingSetBytes:      u.Memory.WorkingSetBytes.Value,
		})
	}
	result := make([]PodStats, 0, len(pods))
	for _, pod := range pods {
		result = append(result, *pod)
	}
	sort.Slice(result, func(i, j int) bool { return result[i].Name < result[j].Name })
	return result, nil
}
