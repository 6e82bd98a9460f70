package main

import (
	"context"
	"sync"
	"time"
)

const holdFor = 9 * time.Second

// holdBook keeps the cheapest offer of each search for a while.
type holdBook struct {
	ctx context.Context

	mu   sync.Mutex
	held map[string]offer
}

func newHoldBook(ctx context.Context) *holdBook {
	return &holdBook{ctx: ctx, held: make(map[string]offer)}
}

func (h *holdBook) place(route string, o offer) {
	h.mu.Lock()
	h.held[route] = o
	h.mu.Unlock()
	go h.expire(route)
}

func (h *holdBook) expire(route string) {
	t := time.NewTimer(holdFor)
	defer t.Stop()
	select {
	case <-t.C:
	case <-h.ctx.Done():
	}
	h.mu.Lock()
	delete(h.held, route)
	h.mu.Unlock()
}
