// Package queue is a FIFO whose readers wait until something is there.
package queue

import "sync"

// Queue is safe for concurrent use.
type Queue struct {
	mu     sync.Mutex
	filled sync.Cond
	items  []any
	closed bool
}

// New returns an empty queue.
func New() *Queue {
	q := new(Queue)
	q.filled.L = &q.mu
	return q
}

// Push appends an item and wakes one reader.
func (q *Queue) Push(item any) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items = append(q.items, item)
	q.filled.Signal()
	return true
}

// Pop waits for an item; the second result is false once the queue is closed and empty.
func (q *Queue) Pop() (any, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.filled.Wait()
	}
	if len(q.items) == 0 {
		return nil, false
	}
	item := q.items[0]
	q.items[0] = nil
	q.items = q.items[1:]
	return item, true
}

// Len returns how many items wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// Close wakes all readers; what is queued is still handed out.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.filled.Broadcast()
}
