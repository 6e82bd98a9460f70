package main

import (
	"container/list"
	"sync"
)

// cache holds the locations that were asked for last.
type cache struct {
	mu    sync.Mutex
	size  int
	order *list.List
	byKey map[string]*list.Element
}

type entry struct {
	key string
	loc location
}

func newCache(size int) *cache {
	return &cache{size: size, order: list.New(), byKey: make(map[string]*list.Element)}
}

func (c *cache) get(key string) (location, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return location{}, false
	}
	c.order.MoveToFront(el)
	return el.Value.(entry).loc, true
}

func (c *cache) put(key string, loc location) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey[key] = c.order.PushFront(entry{key, loc})
	for c.order.Len() > c.size {
		oldest := c.order.Back()
		delete(c.byKey, oldest.Value.(entry).key)
		c.order.Remove(oldest)
	}
}
