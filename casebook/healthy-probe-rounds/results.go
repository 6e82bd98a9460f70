package main

import (
	"sync"
	"time"
)

type result struct {
	Host string    `json:"host"`
	At   time.Time `json:"at"`
}

// results is a ring of the newest results.
type results struct {
	mu   sync.Mutex
	ring []result
	next int
}

func newResults(size int) *results {
	return &results{ring: make([]result, 0, size)}
}

func (r *results) add(host string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ring) < cap(r.ring) {
		r.ring = append(r.ring, result{host, at})
		return
	}
	r.ring[r.next%len(r.ring)] = result{host, at}
	r.next++
}

func (r *results) recent() []result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]result(nil), r.ring...)
}
