// Package cri implements the part of the Kubernetes container runtime
// interface that the node's kubelet uses.
package cri

import (
	"context"
	"time"

	v1 "github.com/containerd/cgroups/stats/v1"
	"github.com/containerd/containerd/log"
	"github.com/containerd/containerd/runtime/v2/task"
	"github.com/containerd/typeurl"
	"github.com/pkg/errors"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

// Service serves the CRI.
type Service struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	store   *store
	shim    *Shim
	streams *streamServer
}

// NewService returns a service for the pods of this node.
func NewService(shim *Shim, streamAddress string) *Service {
	s := &Service{store: newStore(), shim: shim}
	s.streams = newStreamServer(streamAddress, s.execInContainer)
	return s
}

// StartTasks starts the tasks of the containers that should run.
func (s *Service) StartTasks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(withNamespace(ctx), 30*time.Second)
	defer cancel()
	for _, c := range s.running() {
		bundle := "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" + c.meta.Id
		if err := s.shim.Create(ctx, c.meta.Id, bundle); err != nil {
			return errors.Wrapf(err, "start container %q", c.meta.Metadata.Name)
		}
		log.G(ctx).Infof("StartContainer for %q returns successfully", c.meta.Id)
	}
	return nil
}

func (s *Service) running() []*containerRecord {
	var found []*containerRecord
	for _, c := range s.store.containers {
		if c.meta.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
			found = append(found, c)
		}
	}
	return found
}

// Version returns the runtime's name and version.
func (s *Service) Version(ctx context.Context, r *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{
		Version: "0.1.0", RuntimeName: "containerd", RuntimeVersion: "v1.4.12", RuntimeApiVersion: "v1alpha2",
	}, nil
}

// ListPodSandbox returns the sandboxes of the node.
func (s *Service) ListPodSandbox(ctx context.Context, r *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	return &runtimeapi.ListPodSandboxResponse{Items: s.store.sandboxes}, nil
}

// ListContainers returns the containers of the node.
func (s *Service) ListContainers(ctx context.Context, r *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	response := &runtimeapi.ListContainersResponse{}
	for _, c := range s.store.containers {
		response.Containers = append(response.Containers, c.meta)
	}
	return response, nil
}

// ListContainerStats returns the stats of all containers that run.
func (s *Service) ListContainerStats(ctx context.Context, r *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	ctx = withNamespace(ctx)
	response := &runtimeapi.ListContainerStatsResponse{}
	for _, c := range s.running() {
		stats, err := s.shim.Stats(ctx, c.meta.Id)
		if err != nil {
			return nil, errors.Wrap(err, "failed to fetch metrics for tasks")
		}
		converted, err := containerStats(c.meta, stats)
		if err != nil {
			return nil, errors.Wrap(err, "failed to convert to cri containers stats format")
		}
		response.Stats = append(response.Stats, converted)
	}
	return response, nil
}

func containerStats(c *runtimeapi.Container, stats *task.StatsResponse) (*runtimeapi.ContainerStats, error) {
	decoded, err := typeurl.UnmarshalAny(stats.Stats)
	if err != nil {
		return nil, err
	}
	metrics, ok := decoded.(*v1.Metrics)
	if !ok {
		return nil, errors.Errorf("unexpected metrics type %T", decoded)
	}
	now := time.Now().UnixNano()
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{Id: c.Id, Metadata: c.Metadata, Labels: c.Labels, Annotations: c.Annotations},
		Cpu:        &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: metrics.CPU.Usage.Total}},
		Memory:     &runtimeapi.MemoryUsage{Timestamp: now, WorkingSetBytes: &runtimeapi.UInt64Value{Value: metrics.Memory.Usage.Usage}},
	}, nil
}

// Exec prepares a streaming endpoint for a command in a container.
func (s *Service) Exec(ctx context.Context, r *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if s.store.get(r.ContainerId) == nil {
		return nil, status.Errorf(codes.NotFound, "container %q not found", r.ContainerId)
	}
	return &runtimeapi.ExecResponse{Url: s.streams.getExec(r)}, nil
}

// ExecSync runs a command in a container and waits for its end.
func (s *Service) ExecSync(ctx context.Context, r *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	code, err := s.execInContainer(ctx, r.ContainerId, execOptions{
		command: r.Cmd,
		timeout: time.Duration(r.Timeout) * time.Second,
	})
	if err != nil {
		return nil, errors.Wrap(err, "failed to exec in container")
	}
	return &runtimeapi.ExecSyncResponse{ExitCode: int32(code)}, nil
}
