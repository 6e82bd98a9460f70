package main

import (
	"context"
	"sync"
	"time"
)

// Reports are put together from twelve months at once.
type Reports struct {
	mu   sync.Mutex
	kept map[int][]float64
}

// NewReports keeps what was asked for last.
func NewReports() *Reports { return &Reports{kept: make(map[int][]float64)} }

// Build returns the figures of a year.
func (r *Reports) Build(ctx context.Context, year int) []float64 {
	year %= 40
	months := make([]float64, 12)
	var all sync.WaitGroup
	all.Add(len(months))
	for m := range months {
		go func(m int) {
			defer all.Done()
			select {
			case <-time.After(40 * time.Millisecond):
				months[m] = float64(year*12 + m)
			case <-ctx.Done():
			}
		}(m)
	}
	all.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[year] = months
	return months
}
