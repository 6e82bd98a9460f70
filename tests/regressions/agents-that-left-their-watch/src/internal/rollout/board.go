// Package rollout keeps the present revision of every vehicle group.
package rollout

import "sync"

// Revision is one published configuration of a group.
type Revision struct {
	Number int64
	Body   map[string]string
}

// Group is a set of vehicles that always get the same configuration.
type Group struct {
	mu      sync.Mutex
	changed *sync.Cond
	current Revision
}

// Publish makes rev the current one if it is newer.
func (g *Group) Publish(rev Revision) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if rev.Number <= g.current.Number {
		return false
	}
	g.current = rev
	g.changed.Broadcast()
	return true
}

// After returns the first revision newer than n, waiting for it if need be.
func (g *Group) After(n int64) Revision {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.current.Number <= n {
		g.changed.Wait()
	}
	return g.current
}

// Board is the collection of groups.
type Board struct {
	mu     sync.Mutex
	groups map[string]*Group
}

// NewBoard returns an empty board.
func NewBoard() *Board { return &Board{groups: make(map[string]*Group)} }

// Group returns the group of that name, made on first use.
func (b *Board) Group(name string) *Group {
	b.mu.Lock()
	defer b.mu.Unlock()
	g, ok := b.groups[name]
	if !ok {
		g = &Group{}
		g.changed = sync.NewCond(&g.mu)
		b.groups[name] = g
	}
	return g
}

// Len counts groups.
func (b *Board) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.groups)
}
