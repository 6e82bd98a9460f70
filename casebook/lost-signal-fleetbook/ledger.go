package main

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Ledger writes trips.
type Ledger struct {
	pool  *Pool
	trips uint64
	grid  atomic.Value
}

// Cell is a square of the map.
type Cell struct {
	X, Y, Bikes int
}

// NewLedger returns a ledger on a pool.
func NewLedger(pool *Pool) *Ledger {
	l := &Ledger{pool: pool}
	l.grid.Store([]Cell{})
	return l
}

// Rent books a bicycle out.
func (l *Ledger) Rent(ctx context.Context, bike int) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var trip uint64
	err := l.with(func(c *Conn) error {
		trip = atomic.AddUint64(&l.trips, 1)
		return c.Exec(fmt.Sprintf("insert into trips values (%d, %d)", trip, bike))
	})
	return trip, err
}

func (l *Ledger) with(do func(*Conn) error) error {
	c := l.pool.Acquire()
	defer l.pool.Release(c)
	return do(c)
}

// Positions puts all bicycles on the map.
func (l *Ledger) Positions(bikes int) {
	cells := make([]Cell, 0, 4096)
	for i := 0; i < 4096; i++ {
		cells = append(cells, Cell{X: i % 64, Y: i / 64, Bikes: bikes / (1 + i%9)})
	}
	l.grid.Store(cells)
}

// Map is the last known map.
func (l *Ledger) Map() []Cell {
	cells := l.grid.Load().([]Cell)
	if len(cells) > 500 {
		return cells[:500]
	}
	return cells
}
