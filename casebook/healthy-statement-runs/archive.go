package main

import (
	"context"
	"hash/fnv"
	"sync"
	"time"
)

// archive keeps the length of each statement, in drawers with a keeper each.
type archive struct {
	drawers []chan sheet

	mu    sync.Mutex
	sizes map[string]int
}

type sheet struct {
	name string
	size int
}

func openArchive(drawers int) *archive {
	a := &archive{sizes: make(map[string]int)}
	for i := 0; i < drawers; i++ {
		d := make(chan sheet)
		a.drawers = append(a.drawers, d)
		go a.keep(d)
	}
	return a
}

func (a *archive) keep(drawer <-chan sheet) {
	for s := range drawer {
		a.mu.Lock()
		a.sizes[s.name] = s.size
		a.mu.Unlock()
	}
}

func (a *archive) put(name string, page []byte) {
	h := fnv.New32()
	_, _ = h.Write([]byte(name))
	a.drawers[h.Sum32()%uint32(len(a.drawers))] <- sheet{name, len(page)}
}

func (a *archive) find(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sizes[name]
}

func (a *archive) compact(ctx context.Context) {
	tick := time.NewTicker(8 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.mu.Lock()
			if len(a.sizes) > 500 {
				a.sizes = make(map[string]int)
			}
			a.mu.Unlock()
		}
	}
}
