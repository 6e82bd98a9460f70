package cri

import (
	"context"
	"time"

	"github.com/containerd/containerd/errdefs"
	"github.com/containerd/containerd/log"
	"github.com/containerd/containerd/namespaces"
	shimclient "github.com/containerd/containerd/runtime/v2/shim"
	"github.com/containerd/containerd/runtime/v2/task"
	"github.com/containerd/ttrpc"
	"github.com/pkg/errors"
)

const k8sNamespace = "k8s.io"

// Shim is the connection to the shim of a pod; all calls to it share one
// ttrpc client.
type Shim struct {
	client *ttrpc.Client
	task   task.TaskService
	pid    uint32
}

// ConnectShim connects to the shim at an address, which may still be starting.
func ConnectShim(ctx context.Context, address string, within time.Duration) (*Shim, error) {
	conn, err := shimclient.Connect(address, shimclient.AnonDialer)
	for end := time.Now().Add(within); err != nil; {
		if time.Now().After(end) {
			return nil, errors.Wrap(err, "connect to shim")
		}
		time.Sleep(50 * time.Millisecond)
		conn, err = shimclient.Connect(address, shimclient.AnonDialer)
	}
	client := ttrpc.NewClient(conn, ttrpc.WithOnClose(func() {
		log.G(ctx).WithField("address", address).Warn("shim disconnected")
	}))
	s := &Shim{client: client, task: task.NewTaskClient(client)}
	ctx, cancel := context.WithTimeout(withNamespace(ctx), 5*time.Second)
	defer cancel()
	response, err := s.task.Connect(ctx, &task.ConnectRequest{})
	if err != nil {
		client.Close()
		return nil, errdefs.FromGRPC(err)
	}
	s.pid = response.ShimPid
	log.G(ctx).WithField("pid", s.pid).Info("connected to shim")
	return s, nil
}

func withNamespace(ctx context.Context) context.Context {
	return namespaces.WithNamespace(ctx, k8sNamespace)
}

// Create makes a container's task and starts it.
func (s *Shim) Create(ctx context.Context, id, bundle string) error {
	if _, err := s.task.Create(ctx, &task.CreateTaskRequest{ID: id, Bundle: bundle}); err != nil {
		return errdefs.FromGRPC(err)
	}
	_, err := s.task.Start(ctx, &task.StartRequest{ID: id})
	return errdefs.FromGRPC(err)
}

// Stats asks for a task's cgroup metrics.
func (s *Shim) Stats(ctx context.Context, id string) (*task.StatsResponse, error) {
	response, err := s.task.Stats(ctx, &task.StatsRequest{ID: id})
	if err != nil {
		return nil, errdefs.FromGRPC(err)
	}
	return response, nil
}
