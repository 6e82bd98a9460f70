package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"example.org/meridian/gangway"
)

// monitor looks at the links of one configuration until it is stopped.
type monitor struct {
	conf  config
	quit  chan struct{}
	mu    sync.Mutex
	state map[string]string
}

func startMonitor(conf config, uplink *gangway.Neighbour) *monitor {
	m := &monitor{conf: conf, quit: make(chan struct{}), state: make(map[string]string)}
	for _, link := range conf.links {
		p := &prober{monitor: m, link: link, uplink: uplink}
		go p.run()
	}
	return m
}

func (m *monitor) stop() { close(m.quit) }

type prober struct {
	monitor *monitor
	link    linkConfig
	uplink  *gangway.Neighbour
}

func (p *prober) run() {
	p.probe()
	t := time.NewTicker(p.link.every)
	defer t.Stop()
	for p.wait(t.C) {
		p.probe()
	}
}

func (p *prober) wait(tick <-chan time.Time) bool {
	select {
	case <-tick:
		return true
	case <-p.monitor.quit:
		return false
	}
}

func (p *prober) probe() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	state := "out of reach"
	if body, err := p.uplink.Get(ctx, "/reach/"+p.link.name); err == nil {
		state = strings.TrimSpace(string(body))
	}
	p.monitor.mu.Lock()
	p.monitor.state[p.link.name] = state
	p.monitor.mu.Unlock()
}

// keeper has one monitor at a time.
type keeper struct {
	uplink *gangway.Neighbour
	retire bool

	mu  sync.Mutex
	now *monitor
}

func newKeeper(uplink *gangway.Neighbour, retire bool) *keeper {
	return &keeper{uplink: uplink, retire: retire}
}

func (k *keeper) apply(conf config) {
	next := startMonitor(conf, k.uplink)
	k.mu.Lock()
	before := k.now
	k.now = next
	k.mu.Unlock()
	if before != nil && k.retire {
		before.stop()
	}
}

func (k *keeper) revision() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now.conf.revision
}

func (k *keeper) ask(ctx context.Context, path string) (string, error) {
	body, err := k.uplink.Get(ctx, path)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(body)), nil
}
