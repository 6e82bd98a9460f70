package main

import (
	"context"
	"sync"
	"time"
)

// A Batch is what a concentrator sent at one time.
type Batch struct {
	at       time.Time
	street   string
	readings []float64
}

// A Window keeps the batches of the last while, oldest first.
type Window struct {
	length time.Duration

	mu      sync.Mutex
	batches []*Batch
}

// NewWindow keeps batches for the given time.
func NewWindow(length time.Duration) *Window {
	return &Window{length: length}
}

func (w *Window) count() float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return float64(len(w.batches))
}

// Append adds a batch at the end.
func (w *Window) Append(street string, meters int) *Batch {
	b := &Batch{at: time.Now(), street: street, readings: make([]float64, meters)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = append(w.batches, b)
	return b
}

// Each calls f with every batch.
func (w *Window) Each(f func(*Batch)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.batches {
		f(b)
	}
}

// expire drops the batches that are older than the window.
func (w *Window) expire(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			w.drop(now.Add(-w.length))
		}
	}
}

func (w *Window) drop(before time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := 0
	for old < len(w.batches) && w.batches[old].at.Before(before) {
		old++
	}
	w.batches = append([]*Batch(nil), w.batches[old:]...)
}
