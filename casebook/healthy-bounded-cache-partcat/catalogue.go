package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

// Catalogue answers for parts and their makers.
type Catalogue struct {
	drawings *peer.Peer
	cache    *LRU
	makers   *makers
}

func (c *Catalogue) part(w http.ResponseWriter, r *http.Request) {
	part := chassis.Tail(r, "/part/")
	d := c.cache.Get(part)
	if d == nil {
		text, err := c.drawings.Get(r.Context(), "/drawing/"+part, 1<<20)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		d = c.cache.Put(part, text)
	}
	w.Write(d.lines)
}

func (c *Catalogue) maker(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/maker/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d parts\n", len(c.makers.list(n%90)))
}

// makers are the manufacturers; the list of each is read when it is first wanted and then stays.
type makers struct {
	wanted chan int

	mu    sync.RWMutex
	lists map[int][]int64
}

func newMakers() *makers {
	return &makers{wanted: make(chan int), lists: make(map[int][]int64)}
}

func (m *makers) list(number int) []int64 {
	m.mu.RLock()
	l := m.lists[number]
	m.mu.RUnlock()
	if l == nil {
		m.wanted <- number
	}
	return l
}

// scout reads the lists that are wanted.
func (m *makers) scout(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case number := <-m.wanted:
			time.Sleep(30 * time.Millisecond)
			m.learn(number)
		}
	}
}

func (m *makers) learn(number int) {
	l := make([]int64, 9000)
	for i := range l {
		l[i] = int64(i * number)
	}
	m.mu.Lock()
	m.lists[number] = l
	m.mu.Unlock()
}

// drawingService stands in for the archive of drawings.
func drawingService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond)
		w.Write(bytes.Repeat([]byte(r.URL.Path+" line 10 20 30 40\n"), 1200))
	})
}
