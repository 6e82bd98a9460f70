package main

import (
	"context"
	"sync"
	"time"
)

// rateBoard keeps the last prices of each lane, worked out by a few workers.
type rateBoard struct {
	notes chan note

	mu   sync.RWMutex
	last map[string]int
}

type note struct {
	lane  string
	cents int
}

func newRateBoard(workers int) *rateBoard {
	b := &rateBoard{notes: make(chan note, 64), last: make(map[string]int)}
	for i := 0; i < workers; i++ {
		go b.work()
	}
	return b
}

func (b *rateBoard) note(lane string, cents int) {
	b.notes <- note{lane, cents}
}

func (b *rateBoard) work() {
	for n := range b.notes {
		b.average(n)
	}
}

func (b *rateBoard) average(n note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old, ok := b.last[n.lane]; ok {
		n.cents = (old*3 + n.cents) / 4
	}
	b.last[n.lane] = n.cents
}

func (b *rateBoard) snapshot() map[string]int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := make(map[string]int, len(b.last))
	for lane, cents := range b.last {
		out[lane] = cents
	}
	return out
}

func (b *rateBoard) publish(ctx context.Context) {
	for {
		timer := time.NewTimer(2 * time.Second)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
			_ = b.snapshot()
		}
	}
}
