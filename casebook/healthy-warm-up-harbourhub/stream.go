package main

import (
	"context"
	"hash/fnv"
	"sync"
)

// stream is cut into partitions that this member takes over two at a time, as the other members let go of them.
type stream struct {
	mu    sync.Mutex
	parts []*partition
	owned int
}

type partition struct {
	mu     sync.Mutex
	more   *sync.Cond
	events []string
	offset int
}

func newStream(n int) *stream {
	s := &stream{}
	for i := 0; i < n; i++ {
		p := &partition{}
		p.more = sync.NewCond(&p.mu)
		s.parts = append(s.parts, p)
	}
	return s
}

func (s *stream) rebalance(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := 0; n < 2 && s.owned < len(s.parts); n++ {
		go s.parts[s.owned].consume()
		s.owned++
	}
}

func (s *stream) publish(ship string) {
	h := fnv.New32()
	h.Write([]byte(ship))
	p := s.parts[h.Sum32()%uint32(len(s.parts))]
	p.mu.Lock()
	if len(p.events) < 100 {
		p.events = append(p.events, ship)
	}
	p.mu.Unlock()
	p.more.Signal()
}

func (p *partition) consume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.events) == 0 {
			p.more.Wait()
		}
		p.events = p.events[1:]
		p.offset++
	}
}
