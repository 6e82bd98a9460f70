package main

import (
	"context"
	"fmt"
	"sync"
)

type change struct {
	tenant string
	allow  bool
}

// policies is one reading of the directory, kept up to date by the changes that arrive after it.
type policies struct {
	mu      sync.Mutex
	rules   map[string]bool
	changes chan change
	cancel  context.CancelFunc
}

func (p *policies) follow(ctx context.Context) {
	for {
		select {
		case c := <-p.changes:
			p.mu.Lock()
			p.rules[c.tenant] = c.allow
			p.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (p *policies) allows(tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	allow, known := p.rules[tenant]
	return allow || !known
}

func (p *policies) close() {
	p.cancel()
}

// directory is where the policies are kept.
type directory struct {
	tenants int
}

func (d *directory) read() map[string]bool {
	rules := make(map[string]bool, d.tenants)
	for i := 0; i < d.tenants; i++ {
		rules[fmt.Sprintf("tenant-%d", i)] = i%5 != 0
	}
	return rules
}
