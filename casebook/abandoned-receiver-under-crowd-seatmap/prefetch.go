package main

import (
	"context"
	"time"

	"example.org/meridian/gangway"
)

// prefetcher looks once more at a flight shortly after somebody was interested in it.
type prefetcher struct {
	ctx   context.Context
	plans *gangway.Neighbour
}

func (p *prefetcher) warm(flight string) {
	go p.again(flight, 6*time.Second)
}

func (p *prefetcher) again(flight string, after time.Duration) {
	wait := time.NewTimer(after)
	defer wait.Stop()
	select {
	case <-p.ctx.Done():
		return
	case <-wait.C:
	}
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Second)
	defer cancel()
	p.plans.Get(ctx, "/plan/"+flight)
}
