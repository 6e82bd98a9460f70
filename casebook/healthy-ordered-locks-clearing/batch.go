package main

import (
	"sync"
	"sync/atomic"
)

// Batch books the standing orders of all banks.
type Batch struct {
	house *House
	done  uint64
}

// NewBatch returns a batch that has not begun.
func NewBatch(h *House) *Batch { return &Batch{house: h} }

// Start books so many orders at once and returns how many there were before.
func (b *Batch) Start(orders int) uint64 {
	before := atomic.LoadUint64(&b.done)
	go b.run(orders)
	return before
}

func (b *Batch) run(orders int) {
	var open sync.WaitGroup
	for i := 1; i <= orders; i++ {
		open.Add(1)
		go b.book(i, &open)
	}
	open.Wait()
}

func (b *Batch) book(i int, open *sync.WaitGroup) {
	defer open.Done()
	if err := b.house.Transfer(i, 200-i, int64(i)); err != nil {
		return
	}
	if err := b.house.Transfer(200-i, 0, int64(i)); err != nil {
		return
	}
	atomic.AddUint64(&b.done, 1)
}
