// Package lane runs short jobs on a fixed number of workers.
package lane

import "sync"

// A Lane has a queue and workers that rest until a job comes.
type Lane struct {
	mu     sync.Mutex
	ready  *sync.Cond
	queue  []func()
	closed bool
}

// New starts workers.
func New(workers int) *Lane {
	l := &Lane{}
	l.ready = sync.NewCond(&l.mu)
	for i := 0; i < workers; i++ {
		go l.work()
	}
	return l
}

// Do queues job and returns at once.
func (l *Lane) Do(job func()) {
	l.mu.Lock()
	l.queue = append(l.queue, job)
	l.mu.Unlock()
	l.ready.Signal()
}

// Wait queues job and returns when it has run.
func (l *Lane) Wait(job func()) {
	done := make(chan struct{})
	l.Do(func() {
		defer close(done)
		job()
	})
	<-done
}

// Close lets the workers end once the queue is empty.
func (l *Lane) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.ready.Broadcast()
}

func (l *Lane) work() {
	for {
		job, ok := l.take()
		if !ok {
			return
		}
		job()
	}
}

func (l *Lane) take() (func(), bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 {
		if l.closed {
			return nil, false
		}
		l.ready.Wait()
	}
	job := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return job, true
}
