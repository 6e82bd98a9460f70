package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
)

// A query is an address on its way to a resolver.
type query struct {
	address string
	answer  chan Zone
}

// A Finder answers for addresses and remembers the answers of the last 2,000.
type Finder struct {
	index   *Index
	queries chan query

	mu    sync.Mutex
	known map[uint64]*place
	ring  []uint64
	next  int
}

type place struct {
	zone  Zone
	label [6 << 10]byte
}

func newFinder(index *Index) *Finder {
	return &Finder{index: index, queries: make(chan query), known: make(map[uint64]*place), ring: make([]uint64, 2000)}
}

func (f *Finder) region(w http.ResponseWriter, r *http.Request) {
	q := query{address: chassis.Tail(r, "/region/"), answer: make(chan Zone, 1)}
	f.queries <- q
	zone := <-q.answer
	fmt.Fprintf(w, "%s: zone at %d, %.0f to %.0f\n", q.address, zone.offset, zone.west, zone.east)
}

func (f *Finder) resolve(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-f.queries:
			q.answer <- f.locate(q.address)
		}
	}
}

func (f *Finder) locate(address string) Zone {
	h := fnv.New64a()
	h.Write([]byte(address))
	number := h.Sum64()
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.known[number]; p != nil {
		return p.zone
	}
	time.Sleep(time.Millisecond)
	p := &place{zone: f.index.find(number)}
	copy(p.label[:], address)
	delete(f.known, f.ring[f.next])
	f.ring[f.next] = number
	f.next = (f.next + 1) % len(f.ring)
	f.known[number] = p
	return p.zone
}
