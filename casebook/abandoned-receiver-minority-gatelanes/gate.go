package main

import (
	"context"
	"sync"
	"time"
)

// gate has lanes that are staffed when they are first needed, up to a number; wide loads get one of their own.
type gate struct {
	max int

	mu    sync.Mutex
	lanes []*lane
	turn  int
	moved map[string]time.Time
}

func newGate(max int) *gate {
	return &gate{max: max, moved: make(map[string]time.Time)}
}

func (g *gate) pass(ctx context.Context, plate string) error {
	return g.pick().send(ctx, plate)
}

func (g *gate) pick() *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lanes) < g.max {
		g.lanes = append(g.lanes, g.staff(8))
	}
	g.turn++
	return g.lanes[g.turn%len(g.lanes)]
}

// staff opens a lane of the gate.
func (g *gate) staff(depth int) *lane {
	l := &lane{gate: g, trucks: make(chan truck, depth)}
	go l.work()
	return l
}

// escort lets a wide load through a lane that is open for it alone.
func (g *gate) escort(ctx context.Context, plate string) error {
	l := &lane{gate: g, trucks: make(chan truck)}
	go l.work()
	return l.send(ctx, plate)
}

func (g *gate) log(plate string) {
	g.mu.Lock()
	g.moved[plate] = time.Now()
	g.mu.Unlock()
}

func (g *gate) sweep(context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for plate, at := range g.moved {
		if time.Since(at) > 10*time.Second {
			delete(g.moved, plate)
		}
	}
}
