package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// gauges are polled one by one; each keeps its own pace.
type gauges struct {
	mu     sync.RWMutex
	levels []int
}

func openGauges(n int) *gauges {
	g := &gauges{levels: make([]int, n)}
	for i := range g.levels {
		go g.follow(i)
	}
	return g
}

func (g *gauges) follow(i int) {
	for {
		time.Sleep(time.Duration(900+70*i) * time.Millisecond)
		g.mu.Lock()
		g.levels[i] = (g.levels[i] + i + 3) % 400
		g.mu.Unlock()
	}
}

func (g *gauges) read(ctx context.Context, every time.Duration, publish func(string)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.mu.RLock()
			text := fmt.Sprint(g.levels)
			g.mu.RUnlock()
			publish(text)
		}
	}
}

func (g *gauges) latest(w http.ResponseWriter, _ *http.Request) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	fmt.Fprintln(w, g.levels)
}
