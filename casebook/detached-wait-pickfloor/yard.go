package main

import (
	"context"
	"sync/atomic"

	"example.org/tinlane/plumb/queue"
)

// yard unloads lorries: each dock has its queue and its crew.
type yard struct {
	docks    []*dock
	lorries  int64
	unloaded int64
}

type dock struct {
	lorries *queue.Queue
	yard    *yard
}

func openYard(docks, crew int) *yard {
	y := &yard{}
	for i := 0; i < docks; i++ {
		d := &dock{lorries: queue.New(), yard: y}
		y.docks = append(y.docks, d)
		for j := 0; j < crew; j++ {
			go d.unload()
		}
	}
	return y
}

func (d *dock) unload() {
	for {
		if _, ok := d.lorries.Pop(); !ok {
			return
		}
		atomic.AddInt64(&d.yard.unloaded, 1)
	}
}

func (y *yard) arrive(context.Context) {
	n := atomic.AddInt64(&y.lorries, 1)
	y.docks[n%int64(len(y.docks))].lorries.Push(n)
}

func (y *yard) report() map[string]int64 {
	return map[string]int64{"arrived": atomic.LoadInt64(&y.lorries), "unloaded": atomic.LoadInt64(&y.unloaded)}
}
