package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"example.org/quarry/portico"
)

// Pager calls people. Phone lines are rented when all others are busy and kept.
type Pager struct {
	most int

	mu      sync.Mutex
	ready   *sync.Cond
	waiting []string
	lines   int
	resting int
	sent    int
}

// StartPager returns a pager that rents so many lines at most.
func StartPager(most int) *Pager {
	p := &Pager{most: most}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// Sent is the number of calls made.
func (p *Pager) Sent() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(p.sent)
}

// Send queues a call.
func (p *Pager) Send(ctx context.Context, who string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 500 {
		return portico.Refusal{Status: http.StatusServiceUnavailable, Reason: "all lines are busy"}
	}
	p.waiting = append(p.waiting, who)
	if p.resting == 0 && p.lines < p.most {
		p.lines++
		go p.dial()
	}
	p.ready.Signal()
	return ctx.Err()
}

func (p *Pager) dial() {
	for {
		p.mu.Lock()
		for len(p.waiting) == 0 {
			p.resting++
			p.ready.Wait()
			p.resting--
		}
		p.waiting = p.waiting[1:]
		p.sent++
		p.mu.Unlock()
		time.Sleep(2500 * time.Millisecond)
	}
}
