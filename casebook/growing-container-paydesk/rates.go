package main

import (
	"context"
	"math"
	"sync"
	"time"
)

const rateDays = 4096

// Rates are the exchange rates of the last days, per currency; a currency is loaded when it is first asked for.
type Rates struct {
	mu     sync.RWMutex
	tables map[string][]float64
}

// NewRates has no currencies yet.
func NewRates() *Rates {
	return &Rates{tables: make(map[string][]float64)}
}

// Table returns the rates of the currency, one of 400 kinds.
func (r *Rates) Table(name string) []float64 {
	code := currency(name)
	r.mu.RLock()
	table := r.tables[code]
	r.mu.RUnlock()
	if table == nil {
		table = r.load(code)
	}
	return table
}

func (r *Rates) load(code string) []float64 {
	table := make([]float64, rateDays)
	for i := range table {
		table[i] = 1 + math.Mod(float64(i*len(code)), 97)/100
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.tables[code]; known != nil {
		return known
	}
	r.tables[code] = table
	return table
}

func currency(name string) string {
	sum := 0
	for _, c := range name {
		sum = sum*31 + int(c)
	}
	sum %= 400
	return string([]byte{'A' + byte(sum/26%26), 'A' + byte(sum%26)})
}

// Refresh shifts the tables by a day now and then.
func (r *Rates) Refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(15 * time.Second):
		}
		r.mu.Lock()
		for _, table := range r.tables {
			copy(table, table[1:])
		}
		r.mu.Unlock()
	}
}
