package main

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/containerd/containerd/errdefs"
	"github.com/containerd/containerd/runtime/v2/shim"
	taskapi "github.com/containerd/containerd/runtime/v2/task"
	ptypes "github.com/gogo/protobuf/types"
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"github.com/pkg/errors"
)

// What the node's disks and processors let these take.
const (
	runcStart  = 120 * time.Millisecond
	cgroupRead = 25 * time.Millisecond
)

var empty = &ptypes.Empty{}

type service struct {
	id       string
	shutdown func()
	pids     uint32

	mu    sync.Mutex
	tasks map[string]*process
	execs map[string]*process // container/exec
}

var _ shim.Shim = (*service)(nil)

func (s *service) find(id, execID string) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.tasks[id]
	if execID != "" {
		p = s.execs[id+"/"+execID]
	}
	if p == nil {
		return nil, errdefs.ToGRPC(errors.Wrapf(errdefs.ErrNotFound, "process %s of %s", execID, id))
	}
	return p, nil
}

func (s *service) nextPid() uint32 {
	return uint32(os.Getpid()) + atomic.AddUint32(&s.pids, 1)
}

func (s *service) Create(ctx context.Context, r *taskapi.CreateTaskRequest) (*taskapi.CreateTaskResponse, error) {
	p := newProcess(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[r.ID] != nil {
		return nil, errdefs.ToGRPC(errors.Wrapf(errdefs.ErrAlreadyExists, "task %s", r.ID))
	}
	s.tasks[r.ID] = p
	return &taskapi.CreateTaskResponse{Pid: s.nextPid()}, nil
}

func (s *service) Start(ctx context.Context, r *taskapi.StartRequest) (*taskapi.StartResponse, error) {
	p, err := s.find(r.ID, r.ExecID)
	if err != nil {
		return nil, err
	}
	pid := s.nextPid()
	time.Sleep(runcStart)
	p.start(pid)
	return &taskapi.StartResponse{Pid: pid}, nil
}

func (s *service) Exec(ctx context.Context, r *taskapi.ExecProcessRequest) (*ptypes.Empty, error) {
	if _, err := s.find(r.ID, ""); err != nil {
		return nil, err
	}
	var spec specs.Process
	if err := json.Unmarshal(r.Spec.Value, &spec); err != nil {
		return nil, errdefs.ToGRPC(errors.Wrap(errdefs.ErrInvalidArgument, err.Error()))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.execs[r.ID+"/"+r.ExecID] = newProcess(spec.Args)
	return empty, nil
}

func (s *service) State(ctx context.Context, r *taskapi.StateRequest) (*taskapi.StateResponse, error) {
	p, err := s.find(r.ID, r.ExecID)
	if err != nil {
		return nil, err
	}
	pid, status, code, at := p.state()
	return &taskapi.StateResponse{ID: r.ID, ExecID: r.ExecID, Pid: pid, Status: status, ExitStatus: code, ExitedAt: at}, nil
}

func (s *service) Wait(ctx context.Context, r *taskapi.WaitRequest) (*taskapi.WaitResponse, error) {
	p, err := s.find(r.ID, r.ExecID)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return nil, errdefs.ToGRPC(ctx.Err())
	}
	_, _, code, at := p.state()
	return &taskapi.WaitResponse{ExitStatus: code, ExitedAt: at}, nil
}

func (s *service) Delete(ctx context.Context, r *taskapi.DeleteRequest) (*taskapi.DeleteResponse, error) {
	p, err := s.find(r.ID, r.ExecID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if r.ExecID != "" {
		delete(s.execs, r.ID+"/"+r.ExecID)
	} else {
		delete(s.tasks, r.ID)
	}
	s.mu.Unlock()
	pid, _, code, at := p.state()
	return &taskapi.DeleteResponse{Pid: pid, ExitStatus: code, ExitedAt: at}, nil
}

func (s *service) Kill(ctx context.Context, r *taskapi.KillRequest) (*ptypes.Empty, error) {
	p, err := s.find(r.ID, r.ExecID)
	if err != nil {
		return nil, err
	}
	p.exit(128 + r.Signal)
	return empty, nil
}

func (s *service) Stats(ctx context.Context, r *taskapi.StatsRequest) (*taskapi.StatsResponse, error) {
	p, err := s.find(r.ID, "")
	if err != nil {
		return nil, err
	}
	pid, _, _, _ := p.state()
	time.Sleep(cgroupRead)
	any, err := readCgroup(pid)
	if err != nil {
		return nil, errdefs.ToGRPC(err)
	}
	return &taskapi.StatsResponse{Stats: any}, nil
}

func (s *service) Connect(ctx context.Context, r *taskapi.ConnectRequest) (*taskapi.ConnectResponse, error) {
	return &taskapi.ConnectResponse{ShimPid: uint32(os.Getpid()), Version: "1.4.12"}, nil
}

func (s *service) Shutdown(ctx context.Context, r *taskapi.ShutdownRequest) (*ptypes.Empty, error) {
	s.shutdown()
	return empty, nil
}

func (s *service) Pids(ctx context.Context, r *taskapi.PidsRequest) (*taskapi.PidsResponse, error) {
	return nil, errdefs.ToGRPC(errdefs.ErrNotImplemented)
}

func (s *service) Pause(ctx context.Context, r *taskapi.PauseRequest) (*ptypes.Empty, error) {
	return nil, errdefs.ToGRPC(errdefs.ErrNotImplemented)
}

func (s *service) Resume(ctx context.Context, r *taskapi.ResumeRequest) (*ptypes.Empty, error) {
	return nil, errdefs.ToGRPC(errdefs.ErrNotImplemented)
}

func (s *service) Checkpoint(ctx context.Context, r *taskapi.CheckpointTaskRequest) (*ptypes.Empty, error) {
	return nil, errdefs.ToGRPC(errdefs.ErrNotImplemented)
}

func (s *service) ResizePty(ctx context.Context, r *taskapi.ResizePtyRequest) (*ptypes.Empty, error) {
	return empty, nil
}

func (s *service) CloseIO(ctx context.Context, r *taskapi.CloseIORequest) (*ptypes.Empty, error) {
	return empty, nil
}

func (s *service) Update(ctx context.Context, r *taskapi.UpdateTaskRequest) (*ptypes.Empty, error) {
	return empty, nil
}

func (s *service) Cleanup(ctx context.Context) (*taskapi.DeleteResponse, error) {
	return &taskapi.DeleteResponse{}, nil
}

func (s *service) StartShim(ctx context.Context, id, containerdBinary, containerdAddress, containerdTTRPCAddress string) (string, error) {
	return "", errdefs.ErrNotImplemented
}
