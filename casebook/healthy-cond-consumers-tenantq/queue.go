package main

import "sync"

// Queue is a queue without a limit; takers sleep while it is empty.
type Queue struct {
	mu       sync.Mutex
	nonEmpty sync.Cond
	messages [][]byte
	closed   bool
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	q := &Queue{}
	q.nonEmpty.L = &q.mu
	return q
}

// Put adds a message.
func (q *Queue) Put(message []byte) {
	q.mu.Lock()
	q.messages = append(q.messages, message)
	q.mu.Unlock()
	q.nonEmpty.Signal()
}

// Take waits for a message; it returns false when the queue was closed.
func (q *Queue) Take() ([]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.messages) == 0 {
		if q.closed {
			return nil, false
		}
		q.nonEmpty.Wait()
	}
	message := q.messages[0]
	q.messages = q.messages[1:]
	return message, true
}

// Len is the number of messages that wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.messages)
}

// Close lets all takers go once the queue is empty.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.nonEmpty.Broadcast()
}
