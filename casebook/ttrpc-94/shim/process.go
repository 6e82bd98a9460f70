package main

import (
	"strconv"
	"sync"
	"time"

	"github.com/containerd/containerd/api/types/task"
)

// process is the init process of a container, or one that was started in it
// by exec.
type process struct {
	args []string
	done chan struct{}

	mu       sync.Mutex
	pid      uint32
	status   task.Status
	exitCode uint32
	exitedAt time.Time
}

func newProcess(args []string) *process {
	return &process{args: args, status: task.StatusCreated, done: make(chan struct{})}
}

func (p *process) start(pid uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid, p.status = pid, task.StatusRunning
	if d := p.runtime(); d > 0 {
		time.AfterFunc(d, func() { p.exit(0) })
	}
}

func (p *process) exit(code uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status == task.StatusStopped {
		return
	}
	p.status, p.exitCode, p.exitedAt = task.StatusStopped, code, time.Now()
	close(p.done)
}

func (p *process) state() (pid uint32, status task.Status, code uint32, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid, p.status, p.exitCode, p.exitedAt
}

// runtime says how long a command takes; zero is for ever.
func (p *process) runtime() time.Duration {
	if len(p.args) == 0 {
		return 0
	}
	switch p.args[0] {
	case "sleep":
		if len(p.args) > 1 {
			if seconds, err := strconv.Atoi(p.args[1]); err == nil {
				return time.Duration(seconds) * time.Second
			}
		}
		return time.Second
	case "ls", "cat", "test":
		return 25 * time.Millisecond
	}
	return 60 * time.Millisecond
}
