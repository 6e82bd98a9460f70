package main

import (
	"context"
	"sync"
	"time"
)

// A Poller looks at the machines in regular turns.
type Poller struct {
	floor *Floor
	every time.Duration
}

func (p *Poller) run(ctx context.Context) {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.floor.observe(now)
		}
	}
}

// Alarms looks for machines out of range and tells the dispatchers.
type Alarms struct {
	floor *Floor
	raise chan string

	mu      sync.Mutex
	panels  []chan string
	changed *sync.Cond
	version int
}

func newAlarms(floor *Floor, panels int) *Alarms {
	a := &Alarms{floor: floor, raise: make(chan string)}
	a.changed = sync.NewCond(&a.mu)
	for i := 0; i < panels; i++ {
		lamp := make(chan string, 1)
		a.panels = append(a.panels, lamp)
		go a.panel(lamp)
	}
	for i := 0; i < 20; i++ {
		go a.display()
	}
	return a
}

func (a *Alarms) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(3 * time.Second):
		}
		a.floor.mu.Lock()
		var worst *Machine
		for _, m := range a.floor.machines {
			if m.Last != nil && (worst == nil || m.Last.Wave[79] > worst.Last.Wave[79]) {
				worst = m
			}
		}
		a.floor.mu.Unlock()
		if worst != nil {
			a.raise <- worst.Name
		}
	}
}

// dispatch lights the lamp of one panel per alarm.
func (a *Alarms) dispatch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-a.raise:
			a.mu.Lock()
			a.version++
			lamp := a.panels[a.version%len(a.panels)]
			a.mu.Unlock()
			a.changed.Signal()
			lamp <- name
		}
	}
}

func (a *Alarms) panel(lamp <-chan string) {
	for range lamp {
		time.Sleep(200 * time.Millisecond)
	}
}

func (a *Alarms) display() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		seen := a.version
		for a.version == seen {
			a.changed.Wait()
		}
	}
}
