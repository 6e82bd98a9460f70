package main

import (
	"container/list"
	"sync"
)

// A Drawing shows a part.
type Drawing struct {
	part  string
	lines []byte
}

// An LRU keeps the drawings that were asked for last, up to a number of bytes.
type LRU struct {
	budget int

	mu    sync.Mutex
	used  int
	order *list.List
	items map[string]*list.Element
}

// NewLRU keeps so many bytes.
func NewLRU(budget int) *LRU {
	return &LRU{budget: budget, order: list.New(), items: make(map[string]*list.Element)}
}

func (c *LRU) bytes() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.used)
}

// Get returns a drawing and makes it the newest.
func (c *LRU) Get(part string) *Drawing {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[part]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*Drawing)
}

// Put keeps a copy of the drawing and drops the oldest ones above the budget.
func (c *LRU) Put(part string, text []byte) *Drawing {
	d := &Drawing{part: part, lines: make([]byte, len(text))}
	copy(d.lines, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[part]; ok {
		return e.Value.(*Drawing)
	}
	c.items[part] = c.order.PushFront(d)
	c.used += len(d.lines)
	for c.used > c.budget {
		oldest := c.order.Back()
		old := c.order.Remove(oldest).(*Drawing)
		delete(c.items, old.part)
		c.used -= len(old.lines)
	}
	return d
}
