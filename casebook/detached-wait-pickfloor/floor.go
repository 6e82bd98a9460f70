package main

import (
	"context"
	"sync"
	"sync/atomic"

	"example.org/tinlane/plumb/queue"
)

type tote struct {
	Number int64  `json:"number"`
	Aisle  string `json:"aisle"`
}

// floor hands totes to pickers, aisle by aisle.
type floor struct {
	mu     sync.Mutex
	aisles map[string]*queue.Queue
	last   int64
}

func newFloor() *floor {
	return &floor{aisles: map[string]*queue.Queue{"ambient": queue.New()}}
}

func (f *floor) aisle(name string) *queue.Queue {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, ok := f.aisles[name]
	if !ok {
		q = queue.New()
		f.aisles[name] = q
	}
	return q
}

// next returns the next tote of an aisle, or an error when there is none in time.
func (f *floor) next(ctx context.Context, name string) (*tote, error) {
	aisle := f.aisle(name)
	taken := make(chan *tote, 1)
	go func() {
		if item, ok := aisle.Pop(); ok {
			taken <- item.(*tote)
		}
	}()
	select {
	case t := <-taken:
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// restock brings totes to the aisle that is never empty for long.
func (f *floor) restock(context.Context) {
	aisle := f.aisle("ambient")
	if aisle.Len() < 200 {
		aisle.Push(&tote{Number: atomic.AddInt64(&f.last, 1), Aisle: "ambient"})
	}
}
