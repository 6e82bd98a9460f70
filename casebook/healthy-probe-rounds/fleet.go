package main

import (
	"fmt"
	"sync"
	"time"
)

type host struct {
	name  string
	every time.Duration
}

func configOf(hosts int) []host {
	out := make([]host, hosts)
	for i := range out {
		out[i] = host{fmt.Sprintf("node-%02d", i), time.Duration(1500+90*(i%17)) * time.Millisecond}
	}
	return out
}

// fleet has a probe for each configured host. A new configuration replaces them all.
type fleet struct {
	results *results

	mu     sync.Mutex
	probes []*probe
}

func (f *fleet) apply(hosts []host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.probes {
		p.stop()
	}
	f.probes = f.probes[:0]
	for _, h := range hosts {
		p := &probe{host: h, results: f.results, ticker: time.NewTicker(h.every), quit: make(chan struct{})}
		f.probes = append(f.probes, p)
		go p.run()
	}
}

type probe struct {
	host    host
	results *results
	ticker  *time.Ticker
	quit    chan struct{}
}

func (p *probe) run() {
	defer p.ticker.Stop()
	for {
		select {
		case at := <-p.ticker.C:
			p.results.add(p.host.name, at)
		case <-p.quit:
			return
		}
	}
}

func (p *probe) stop() { close(p.quit) }
