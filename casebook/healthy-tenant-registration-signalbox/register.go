package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"sync"

	"example.org/granaryworks/granary/chassis"
)

// A register has the lines that are in service.
type register struct {
	mu    sync.Mutex
	lines map[string]bool
	last  int
}

func newRegister(lines int) *register {
	g := &register{lines: make(map[string]bool)}
	for i := 0; i < lines; i++ {
		g.add()
	}
	return g
}

func (g *register) add() string {
	g.last++
	name := fmt.Sprintf("line-%03d", g.last)
	g.lines[name] = true
	return name
}

func (g *register) count() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return float64(len(g.lines))
}

func (g *register) names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	names := make([]string, 0, len(g.lines))
	for name := range g.lines {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// ServeHTTP answers with the names of the lines.
func (g *register) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	json.NewEncoder(w).Encode(g.names())
}

// open puts one more line into service.
func (g *register) open(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	name := g.add()
	g.mu.Unlock()
	fmt.Fprintf(w, "%s opened for %s\n", name, chassis.Tail(r, "/lines/open/"))
}

// shut takes the oldest line out of service.
func (g *register) shut(w http.ResponseWriter, r *http.Request) {
	names := g.names()
	if len(names) == 0 {
		http.NotFound(w, r)
		return
	}
	g.mu.Lock()
	delete(g.lines, names[0])
	g.mu.Unlock()
	fmt.Fprintf(w, "%s shut\n", names[0])
}
