package main

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// Reading is what a meter showed.
type Reading struct {
	Meter int       `json:"meter"`
	At    time.Time `json:"at"`
	Wh    int64     `json:"wh"`
}

// Batcher collects readings and hands full batches to the writer.
type Batcher struct {
	size  int
	store *store
	full  chan []Reading

	mu      sync.Mutex
	open    []Reading
	written map[int]time.Time
}

// NewBatcher returns a batcher; flush must run beside it.
func NewBatcher(size int, s *store) *Batcher {
	return &Batcher{size: size, store: s, full: make(chan []Reading, 2), written: make(map[int]time.Time)}
}

// Add takes one reading.
func (b *Batcher) Add(ctx context.Context, r Reading) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if last, ok := b.written[r.Meter]; ok && !r.At.After(last) {
		return nil
	}
	b.open = append(b.open, r)
	if len(b.open) >= b.size {
		b.hand()
	}
	return nil
}

// hand passes the open batch on; mu is held.
func (b *Batcher) hand() {
	batch := b.open
	b.open = make([]Reading, 0, b.size)
	b.full <- batch
}

// flush writes batches for as long as the service runs.
func (b *Batcher) flush() {
	for batch := range b.full {
		b.store.write(batch)
		b.note(batch)
	}
}

// note remembers up to when each meter is written.
func (b *Batcher) note(batch []Reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range batch {
		b.written[r.Meter%4096] = r.At
	}
}

// store is the long-term store.
type store struct {
	latency time.Duration
	bytes   int
}

func newStore(latency time.Duration) *store { return &store{latency: latency} }

func (s *store) write(batch []Reading) {
	page, err := json.Marshal(batch)
	if err != nil {
		return
	}
	time.Sleep(s.latency)
	s.bytes += len(page)
}
