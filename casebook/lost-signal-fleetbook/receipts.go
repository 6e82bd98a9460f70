package main

import (
	"sync"
	"time"
)

// Receipts are mailed by a few goroutines that share a queue.
type Receipts struct {
	sync.Mutex
	more  *sync.Cond
	queue []uint64
	sent  int
}

// StartReceipts starts the mailers.
func StartReceipts(mailers int) *Receipts {
	r := &Receipts{}
	r.more = sync.NewCond(r)
	for i := 0; i < mailers; i++ {
		go r.mail()
	}
	return r
}

// Send queues the receipt of a trip.
func (r *Receipts) Send(trip uint64) {
	r.Lock()
	r.queue = append(r.queue, trip)
	r.Unlock()
	r.more.Signal()
}

func (r *Receipts) next() uint64 {
	r.Lock()
	defer r.Unlock()
	for len(r.queue) == 0 {
		r.more.Wait()
	}
	trip := r.queue[0]
	r.queue = r.queue[1:]
	return trip
}

func (r *Receipts) mail() {
	for {
		r.next()
		time.Sleep(20 * time.Millisecond)
		r.Lock()
		r.sent++
		r.Unlock()
	}
}
