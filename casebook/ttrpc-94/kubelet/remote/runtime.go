// Package remote talks to the container runtime over the CRI.
package remote

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

const maxMsgSize = 16 << 20

// RuntimeService is a client of the runtime's CRI.
type RuntimeService struct {
	timeout       time.Duration
	runtimeClient runtimeapi.RuntimeServiceClient
}

// NewRuntimeService connects to the socket of a runtime.
func NewRuntimeService(endpoint string, timeout time.Duration) (*RuntimeService, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", address)
	}
	conn, err := grpc.DialContext(ctx, endpoint, grpc.WithInsecure(), grpc.WithBlock(), grpc.WithContextDialer(dial),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMsgSize)))
	if err != nil {
		return nil, err
	}
	return &RuntimeService{timeout: timeout, runtimeClient: runtimeapi.NewRuntimeServiceClient(conn)}, nil
}

func (r *RuntimeService) contextWithTimeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), r.timeout)
}

// ListPodSandbox lists the sandboxes of the node.
func (r *RuntimeService) ListPodSandbox() ([]*runtimeapi.PodSandbox, error) {
	ctx, cancel := r.contextWithTimeout()
	defer cancel()
	resp, err := r.runtimeClient.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return nil, err
	}
	return resp.Items, nil
}

// ListContainers lists the containers of the node.
func (r *RuntimeService) ListContainers() ([]*runtimeapi.Container, error) {
	ctx, cancel := r.contextWithTimeout()
	defer cancel()
	resp, err := r.runtimeClient.ListContainers(ctx, &runtimeapi.ListContainersRequest{})
	if err != nil {
		return nil, err
	}
	return resp.Containers, nil
}

// ListContainerStats returns the stats of the containers that match.
func (r *RuntimeService) ListContainerStats(filter *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	// No timeout here: the runtime may have to walk writable layers.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := r.runtimeClient.ListContainerStats(ctx, &runtimeapi.ListContainerStatsRequest{Filter: filter})
	if err != nil {
		return nil, err
	}
	return resp.Stats, nil
}

// ExecSync runs a command in a container and returns its exit code.
func (r *RuntimeService) ExecSync(id string, command []string, timeout time.Duration) (int32, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout+time.Second)
	defer cancel()
	resp, err := r.runtimeClient.ExecSync(ctx, &runtimeapi.ExecSyncRequest{
		ContainerId: id, Cmd: command, Timeout: int64(timeout / time.Second),
	})
	if err != nil {
		return 0, err
	}
	return resp.ExitCode, nil
}

// Exec asks for the URL of a streaming session.
func (r *RuntimeService) Exec(id string, command []string) (string, error) {
	ctx, cancel := r.contextWithTimeout()
	defer cancel()
	resp, err := r.runtimeClient.Exec(ctx, &runtimeapi.ExecRequest{ContainerId: id, Cmd: command, Stdout: true, Stderr: true})
	if err != nil {
		return "", err
	}
	return resp.Url, nil
}
