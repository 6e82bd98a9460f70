package main

import (
	"context"
	"sync"
	"time"
)

// stores keeps the events that came in, in partitions that are each written by one goroutine.
type stores struct {
	in []chan string

	mu     sync.Mutex
	recent map[string]time.Time
}

func openStores(partitions int) *stores {
	s := &stores{recent: make(map[string]time.Time)}
	for i := 0; i < partitions; i++ {
		in := make(chan string, 8)
		s.in = append(s.in, in)
		go s.write(in)
	}
	return s
}

func (s *stores) write(in <-chan string) {
	for path := range in {
		s.mu.Lock()
		s.recent[path] = time.Now()
		s.mu.Unlock()
	}
}

func (s *stores) put(path string) {
	sum := 0
	for _, b := range []byte(path) {
		sum += int(b)
	}
	s.in[sum%len(s.in)] <- path
}

func (s *stores) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.recent)
}

func (s *stores) expire(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.mu.Lock()
			for path, at := range s.recent {
				if now.Sub(at) > 20*time.Second {
					delete(s.recent, path)
				}
			}
			s.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}
