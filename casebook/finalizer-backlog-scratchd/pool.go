package main

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"sync"
)

const segmentSize = 72 << 10

// A Segment is scratch space; its slot is free again when nobody refers to it any more.
type Segment struct {
	pool *Pool
	slot int
	data []byte
}

// A Pool lends segments.
type Pool struct {
	mu    sync.Mutex
	free  []int
	freed chan int
}

// NewPool lends so many segments at a time.
func NewPool(slots int) *Pool {
	p := &Pool{freed: make(chan int, 16)}
	for i := 0; i < slots; i++ {
		p.free = append(p.free, i)
	}
	return p
}

func (p *Pool) available() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(len(p.free))
}

// Lend returns a segment.
func (p *Pool) Lend() (*Segment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return nil, fmt.Errorf("all slots are lent")
	}
	slot := p.free[0]
	p.free = p.free[1:]
	s := &Segment{pool: p, slot: slot, data: make([]byte, segmentSize)}
	runtime.SetFinalizer(s, (*Segment).release)
	return s, nil
}

func (s *Segment) release() {
	s.pool.freed <- s.slot
}

// recycle erases the slots that are free again.
func (p *Pool) recycle(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case slot := <-p.freed:
			if err := erase(slot); err != nil {
				log.Printf("recycle: %v", err)
				return
			}
			p.mu.Lock()
			p.free = append(p.free, slot)
			p.mu.Unlock()
		}
	}
}

// erase fails for the slots behind the reserve mark, which belong to the backup.
func erase(slot int) error {
	if slot >= 192 {
		return fmt.Errorf("slot %d is behind the reserve mark", slot)
	}
	return nil
}
