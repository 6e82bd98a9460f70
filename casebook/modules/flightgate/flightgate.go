// Package flightgate lets one caller do a piece of work and all others that want the same share its result.
package flightgate

import "sync"

type call struct {
	wg     sync.WaitGroup
	value  interface{}
	err    error
	shared int
}

// Group is a set of keys under which work is under way. The zero Group is ready for use.
type Group struct {
	mu    sync.Mutex
	calls map[string]*call
}

// Do runs fn, unless it runs already for the same key: then it waits for that run and returns its result.
func (g *Group) Do(key string, fn func() (interface{}, error)) (value interface{}, err error, shared bool) {
	g.mu.Lock()
	if g.calls == nil {
		g.calls = make(map[string]*call)
	}
	if c, ok := g.calls[key]; ok {
		c.shared++
		g.mu.Unlock()
		c.wg.Wait()
		return c.value, c.err, true
	}
	c := new(call)
	c.wg.Add(1)
	g.calls[key] = c
	g.mu.Unlock()

	c.value, c.err = fn()
	c.wg.Done()

	g.mu.Lock()
	delete(g.calls, key)
	g.mu.Unlock()
	return c.value, c.err, c.shared > 0
}

// Forget lets the next Do for key run fn even while another run is under way.
func (g *Group) Forget(key string) {
	g.mu.Lock()
	delete(g.calls, key)
	g.mu.Unlock()
}
