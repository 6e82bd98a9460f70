package main

import (
	"context"
	"sync"
	"time"
)

// board hands jobs to whoever polls for them.
type board struct {
	mu      sync.Mutex
	changed *sync.Cond
	jobs    []string
	pollers int
}

func newBoard() *board {
	b := &board{}
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *board) post(job string) {
	b.mu.Lock()
	b.jobs = append(b.jobs, job)
	b.mu.Unlock()
	b.changed.Broadcast()
}

// next waits for a job until the context ends.
func (b *board) next(ctx context.Context) (string, bool) {
	done := make(chan struct{})
	defer close(done)
	go b.wake(ctx, done)

	b.mu.Lock()
	defer b.mu.Unlock()
	b.pollers++
	defer func() { b.pollers-- }()
	for len(b.jobs) == 0 {
		if ctx.Err() != nil {
			return "", false
		}
		b.changed.Wait()
	}
	job := b.jobs[0]
	b.jobs = b.jobs[1:]
	return job, true
}

// wake lets the waiting ones look again when one of them has to go.
func (b *board) wake(ctx context.Context, done <-chan struct{}) {
	select {
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	case <-done:
	}
}

// remind lets everybody look again now and then, should a wake-up have been missed.
func (b *board) remind(ctx context.Context) {
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			b.changed.Broadcast()
		}
	}
}

func (b *board) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pollers
}
