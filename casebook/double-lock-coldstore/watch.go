package main

import (
	"context"
	"sync"
	"time"
)

// Watch tells dashboards that the store is alive.
type Watch struct {
	mu      sync.Mutex
	viewers map[int]chan time.Time
	next    int
}

// NewWatch returns a watch nobody looks at.
func NewWatch() *Watch { return &Watch{viewers: make(map[int]chan time.Time)} }

// Join adds a viewer; leave takes it away again.
func (w *Watch) Join() (states <-chan time.Time, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, ch := w.next, make(chan time.Time, 1)
	w.next++
	w.viewers[id] = ch
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.viewers, id)
	}
}

func (w *Watch) run(ctx context.Context) {
	tick := time.NewTicker(7 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			w.mu.Lock()
			for _, ch := range w.viewers {
				select {
				case ch <- now:
				default:
				}
			}
			w.mu.Unlock()
		}
	}
}

// compact merges the index pages of the local disk every few seconds.
func compact(ctx context.Context, size int) {
	tick := time.NewTicker(4 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		pages := make([][]byte, 24)
		for i := range pages {
			pages[i] = make([]byte, size)
		}
		for i := 1; i < len(pages); i++ {
			copy(pages[0], pages[i])
		}
	}
}
