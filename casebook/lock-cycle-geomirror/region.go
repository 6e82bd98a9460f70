package main

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"
)

// Place is one entry of the index.
type Place struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// Region is the index of one region. Readers see the last snapshot; the master copy belongs to its mirror goroutine and
// to the region that mirrors into it.
type Region struct {
	name string
	next *Region
	due  chan int

	inboxLock sync.Mutex
	inbox     []Place

	mu     sync.Mutex
	master map[int]Place

	snapshot atomic.Value // map[int]Place
}

func newRegion(name string) *Region {
	r := &Region{name: name, due: make(chan int, 1), master: make(map[int]Place, 5000)}
	for id := 0; id < 5000; id++ {
		r.master[id] = Place{ID: id, Name: name}
	}
	r.snapshot.Store(copyOf(r.master))
	return r
}

// Find looks a place up in the snapshot.
func (r *Region) Find(id int) (Place, bool) {
	p, ok := r.snapshot.Load().(map[int]Place)[id]
	return p, ok
}

// Offer queues a change for the next turn.
func (r *Region) Offer(p Place) {
	r.inboxLock.Lock()
	defer r.inboxLock.Unlock()
	if len(r.inbox) < 1000 {
		r.inbox = append(r.inbox, p)
	}
}

func (r *Region) drain() []Place {
	r.inboxLock.Lock()
	defer r.inboxLock.Unlock()
	changes := r.inbox
	r.inbox = nil
	return changes
}

func (r *Region) follow() {
	for turn := range r.due {
		r.mirror(turn)
	}
}

// mirror applies the queued changes and hands them on to the next region.
func (r *Region) mirror(turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changes := r.drain()
	for _, p := range changes {
		r.master[p.ID] = p
	}
	r.snapshot.Store(copyOf(r.master))
	page := seal(turn, changes)
	r.next.accept(page)
}

// accept takes over a page of the region before.
func (r *Region) accept(page []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var changes []Place
	if err := json.Unmarshal(page, &changes); err != nil {
		return
	}
	for _, p := range changes {
		r.master[p.ID] = p
	}
}

// seal encodes and signs a page; signing asks the key service.
func seal(turn int, changes []Place) []byte {
	page, err := json.Marshal(changes)
	if err != nil {
		return nil
	}
	time.Sleep(time.Duration(30+turn%3) * time.Millisecond)
	return page
}

func copyOf(m map[int]Place) map[int]Place {
	c := make(map[int]Place, len(m))
	for id, p := range m {
		c[id] = p
	}
	return c
}
