package cri

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/containerd/containerd/errdefs"
	"github.com/containerd/containerd/log"
	"github.com/containerd/containerd/runtime/v2/task"
	ptypes "github.com/gogo/protobuf/types"
	"github.com/pkg/errors"
)

const processType = "types.containerd.io/opencontainers/runtime-spec/1/Process"

var execs uint64

type execOptions struct {
	command []string
	timeout time.Duration
}

type exitStatus struct {
	code uint32
	err  error
}

func (s *Service) execInContainer(ctx context.Context, id string, opts execOptions) (uint32, error) {
	container := s.store.get(id)
	if container == nil {
		return 0, errors.Wrapf(errdefs.ErrNotFound, "container %q", id)
	}
	ctx, cancel := context.WithCancel(withNamespace(ctx))
	defer cancel()
	if opts.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opts.timeout)
		defer stop()
	}

	if _, err := s.shim.task.State(ctx, &task.StateRequest{ID: id}); err != nil {
		return 0, errors.Wrap(errdefs.FromGRPC(err), "failed to load task")
	}
	spec := *container.process
	spec.Args = opts.command
	encoded, err := json.Marshal(spec)
	if err != nil {
		return 0, err
	}
	execID := "exec-" + strconv.FormatUint(atomic.AddUint64(&execs, 1), 16)
	log.G(ctx).Debugf("Generated exec id %q for container %q", execID, id)
	request := &task.ExecProcessRequest{
		ID:     id,
		ExecID: execID,
		Stdout: "/run/containerd/io.containerd.grpc.v1.cri/containers/" + id + "/io/" + execID + "-stdout",
		Stderr: "/run/containerd/io.containerd.grpc.v1.cri/containers/" + id + "/io/" + execID + "-stderr",
		Spec:   &ptypes.Any{TypeUrl: processType, Value: encoded},
	}
	if _, err := s.shim.task.Exec(ctx, request); err != nil {
		return 0, errors.Wrapf(errdefs.FromGRPC(err), "failed to create exec %q", execID)
	}
	exited := s.wait(ctx, id, execID)
	if _, err := s.shim.task.Start(ctx, &task.StartRequest{ID: id, ExecID: execID}); err != nil {
		return 0, errors.Wrapf(errdefs.FromGRPC(err), "failed to start exec %q", execID)
	}
	exit := <-exited
	if exit.err != nil {
		return 0, errors.Wrapf(exit.err, "failed to wait for exec %q", execID)
	}
	if _, err := s.shim.task.Delete(ctx, &task.DeleteRequest{ID: id, ExecID: execID}); err != nil {
		return 0, errors.Wrapf(errdefs.FromGRPC(err), "failed to delete exec %q", execID)
	}
	return exit.code, nil
}

func (s *Service) wait(ctx context.Context, id, execID string) <-chan exitStatus {
	exited := make(chan exitStatus, 1)
	go func() {
		response, err := s.shim.task.Wait(ctx, &task.WaitRequest{ID: id, ExecID: execID})
		if err != nil {
			exited <- exitStatus{err: errdefs.FromGRPC(err)}
			return
		}
		exited <- exitStatus{code: response.ExitStatus}
	}()
	return exited
}
