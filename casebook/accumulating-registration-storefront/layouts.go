package main

import (
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A layout is a page's measures for one kind of item.
type layout struct {
	name  string
	boxes []box
}

type box struct {
	x, y, width, height float64
}

// layoutCache has one layout per kind of item; there are 180 kinds in two widths.
type layoutCache struct {
	mu    sync.RWMutex
	known map[layoutKey]*layout
}

type layoutKey struct {
	kind uint32
	wide bool
}

func newLayoutCache() *layoutCache {
	return &layoutCache{known: map[layoutKey]*layout{}}
}

func (c *layoutCache) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.known)
}

func (c *layoutCache) get(item string, wide bool) *layout {
	h := fnv.New32a()
	h.Write([]byte(item))
	key := layoutKey{h.Sum32() % 180, wide}
	c.mu.RLock()
	l := c.known[key]
	c.mu.RUnlock()
	if l != nil {
		return l
	}
	l = measure(key)
	c.mu.Lock()
	c.known[key] = l
	c.mu.Unlock()
	return l
}

func measure(key layoutKey) *layout {
	l := &layout{name: "narrow", boxes: make([]box, 1800)}
	if key.wide {
		l.name = "wide"
	}
	for i := range l.boxes {
		l.boxes[i] = box{x: float64(i % 12), y: float64(i / 12), width: 1, height: float64(key.kind)}
	}
	return l
}

// stockService stands in for the warehouse.
func stockService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond)
		w.Write([]byte(strings.Repeat(r.URL.Path, 4000)))
	})
}
