package main

import (
	"context"
	"errors"
	"log"
	"sync/atomic"
	"time"

	"example.org/meridian/gangway"
)

const (
	modeSingle int32 = iota
	modeFailover
)

var errNoEngine = errors.New("no engine answered")

type leg struct {
	region string
	text   string
}

type engine struct {
	region string
	at     *gangway.Neighbour
}

func (e *engine) compute(ctx context.Context, ports string) (leg, error) {
	body, err := e.at.Get(ctx, "/legs/"+ports)
	if err != nil {
		return leg{}, err
	}
	return leg{region: e.region, text: string(body)}, nil
}

type planner struct {
	engines []*engine
	mode    int32
	lag     int64
}

func newPlanner(engines []*engine) *planner {
	return &planner{engines: engines}
}

func (p *planner) setMode(name string) bool {
	switch name {
	case "single":
		atomic.StoreInt32(&p.mode, modeSingle)
	case "failover":
		atomic.StoreInt32(&p.mode, modeFailover)
	default:
		return false
	}
	return true
}

func (p *planner) plan(ctx context.Context, ports string) (leg, error) {
	if atomic.LoadInt32(&p.mode) == modeSingle {
		return p.engines[0].compute(ctx, ports)
	}
	return p.race(ctx, ports)
}

// race asks all engines and is content with whoever is first.
func (p *planner) race(ctx context.Context, ports string) (leg, error) {
	answers := make(chan leg)
	for _, e := range p.engines {
		go p.enter(e, ports, answers)
	}
	select {
	case l := <-answers:
		return l, nil
	case <-ctx.Done():
		return leg{}, errNoEngine
	}
}

func (p *planner) enter(e *engine, ports string, answers chan<- leg) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	l, err := e.compute(ctx, ports)
	if err != nil {
		log.Printf("%s: %v", e.region, err)
		return
	}
	answers <- l
}

// probe measures how far the second engine is behind the first.
func (p *planner) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	began := time.Now()
	for _, e := range p.engines {
		if _, err := e.compute(ctx, "probe"); err != nil {
			log.Printf("%s: %v", e.region, err)
		}
	}
	atomic.StoreInt64(&p.lag, int64(time.Since(began)))
}
