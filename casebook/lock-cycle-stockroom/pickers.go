package main

import (
	"sync/atomic"
	"time"
)

// Pickers walk the aisles. One more is called in for each order that finds all others busy, up to a full shift.
type Pickers struct {
	jobs  chan Order
	limit int32
	size  int32
	done  uint64
}

// NewPickers returns an empty shift.
func NewPickers(limit int) *Pickers {
	return &Pickers{jobs: make(chan Order, 64), limit: int32(limit)}
}

// Size is how many are at work.
func (p *Pickers) Size() int { return int(atomic.LoadInt32(&p.size)) }

// Pick hands an order to a picker.
func (p *Pickers) Pick(o Order) {
	if atomic.LoadInt32(&p.size) < p.limit {
		atomic.AddInt32(&p.size, 1)
		go p.walk()
	}
	select {
	case p.jobs <- o:
	default:
	}
}

func (p *Pickers) walk() {
	for range p.jobs {
		time.Sleep(15 * time.Millisecond)
		atomic.AddUint64(&p.done, 1)
	}
}
