package pipeline

import "sync"

// Ledger remembers the most recent jobs.
type Ledger struct {
	mu    sync.RWMutex
	limit int
	order []string
	jobs  map[string]Job
}

// NewLedger returns a ledger of at most limit jobs.
func NewLedger(limit int) *Ledger {
	return &Ledger{limit: limit, jobs: make(map[string]Job, limit)}
}

// Put adds or replaces a job.
func (l *Ledger) Put(job Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.jobs[job.ID]; !ok {
		l.order = append(l.order, job.ID)
	}
	l.jobs[job.ID] = job
	for len(l.order) > l.limit {
		delete(l.jobs, l.order[0])
		l.order = l.order[1:]
	}
}

// Get returns a job.
func (l *Ledger) Get(id string) (Job, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	job, ok := l.jobs[id]
	return job, ok
}

// List returns all jobs that are remembered, oldest first.
func (l *Ledger) List() []Job {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]Job, 0, len(l.order))
	for _, id := range l.order {
		out = append(out, l.jobs[id])
	}
	return out
}
