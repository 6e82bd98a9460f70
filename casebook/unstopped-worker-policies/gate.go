package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

// gate answers from the newest policies.
type gate struct {
	dir *directory

	mu      sync.RWMutex
	current *policies
}

func newGate(dir *directory) *gate {
	g := &gate{dir: dir}
	g.reload()
	return g
}

func (g *gate) refresh(every time.Duration) {
	for range time.Tick(every) {
		g.reload()
	}
}

// reload puts a fresh set of policies in place of the old one.
func (g *gate) reload() {
	ctx, cancel := context.WithCancel(context.Background())
	fresh := &policies{
		rules:   g.dir.read(),
		changes: make(chan change, 4),
		cancel:  cancel,
	}
	go fresh.follow(ctx)

	g.mu.Lock()
	g.current = fresh
	g.mu.Unlock()
}

func (g *gate) check(w http.ResponseWriter, r *http.Request) {
	tenant := strings.TrimPrefix(r.URL.Path, "/check/")
	g.mu.RLock()
	p := g.current
	g.mu.RUnlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"tenant": tenant, "allow": p.allows(tenant)})
}
