package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/bus"
)

// A Tenant is one customer whose requests pass the gate.
type Tenant struct {
	id      string
	weight  int
	version int64
	passed  int64
	rules   *bus.Subscription
	open    sync.Once
	jobs    chan job
}

type job struct {
	path  string
	reply chan []byte
}

// OnEvent takes over a policy.
func (t *Tenant) OnEvent(e bus.Event) {
	if e.Object == t.id || e.Object == "all" {
		atomic.StoreInt64(&t.version, e.Version)
	}
}

// greet asks the tenant's back end whether it is there.
func greet(ctx context.Context, directory *peer.Peer, id string) error {
	_, err := directory.Get(ctx, "/hello/"+id, 1<<10)
	return err
}

// A Gate forwards requests to the tenants' back ends.
type Gate struct {
	directory *peer.Peer
	mu        sync.RWMutex
	byID      map[string]*Tenant
	rate      int64
}

func newGate(directory *peer.Peer) *Gate {
	return &Gate{directory: directory, byID: map[string]*Tenant{}}
}

func (g *Gate) has(id string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.byID[id] != nil
}

func (g *Gate) tenants() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.byID)
}

func (g *Gate) add(t *Tenant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byID[t.id] = t
}

// start gives the tenant as many forwarders as its weight says; one without traffic needs none.
func (g *Gate) start(t *Tenant) {
	for i := 0; i < 4*t.weight; i++ {
		go g.forwarder(t)
	}
}

func (g *Gate) forwarder(t *Tenant) {
	for j := range t.jobs {
		body, err := g.directory.Get(context.Background(), j.path, 1<<20)
		if err != nil {
			body = []byte(err.Error())
		}
		atomic.AddInt64(&t.passed, 1)
		j.reply <- body
	}
}

func (g *Gate) forward(w http.ResponseWriter, r *http.Request) {
	name := chassis.Tail(r, "/t/")
	if i := strings.IndexByte(name, '/'); i >= 0 {
		name = name[:i]
	}
	account, err := strconv.Atoi(name)
	if err != nil {
		http.Error(w, "no such account", http.StatusBadRequest)
		return
	}
	g.mu.RLock()
	t := g.byID[fmt.Sprintf("t%03d", account%44)]
	g.mu.RUnlock()
	if t == nil {
		http.NotFound(w, r)
		return
	}
	t.open.Do(func() { g.start(t) })
	reply := make(chan []byte, 1)
	t.jobs <- job{path: "/backend/" + t.id, reply: reply}
	w.Write(<-reply)
}

// measure computes the rate of the gate once a second.
func (g *Gate) measure(ctx context.Context) {
	var before int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		var now int64
		g.mu.RLock()
		for _, t := range g.byID {
			now += atomic.LoadInt64(&t.passed)
		}
		g.mu.RUnlock()
		atomic.StoreInt64(&g.rate, now-before)
		before = now
	}
}
