package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/bits"
	"net/http"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

// DB has the sketches by name; a name lasts as long as its place in the arena.
type DB struct {
	arena  *Arena
	source *peer.Peer

	mu    sync.Mutex
	names map[string]int
	order []string
}

func (db *DB) sketches() float64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return float64(len(db.names))
}

// count makes a sketch of the items of a day.
func (db *DB) count(w http.ResponseWriter, r *http.Request) {
	day := chassis.Tail(r, "/count/")
	items, err := db.source.Get(r.Context(), "/items/"+day, 1<<20)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	sketch, turn := db.arena.Take()
	for i := range sketch {
		sketch[i] = byte(turn)
	}
	ones := 0
	for _, item := range bytes.Fields(items) {
		h := fnv.New32a()
		h.Write(item)
		at := int(h.Sum32()) % len(sketch)
		sketch[at] |= 1 << (h.Sum32() >> 29)
		ones += bits.OnesCount8(sketch[at])
	}
	db.remember(day, ones)
	fmt.Fprintf(w, "%s: about %d\n", day, ones)
}

func (db *DB) remember(day string, ones int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.names[day] = ones
	db.order = append(db.order, day)
	if most := len(db.arena.bytes) / sketchSize; len(db.order) > most {
		delete(db.names, db.order[0])
		db.order = append(db.order[:0], db.order[1:]...)
	}
}

func (db *DB) estimate(w http.ResponseWriter, r *http.Request) {
	db.mu.Lock()
	defer db.mu.Unlock()
	fmt.Fprintln(w, db.names[chassis.Tail(r, "/estimate/")])
}

// compactor looks for sketches that are nearly empty.
func (db *DB) compactor(ctx context.Context) {
	tick := time.NewTicker(13 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			db.sketches()
		}
	}
}

// itemService stands in for the event store.
func itemService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(35 * time.Millisecond)
		var out bytes.Buffer
		for i := 0; i < 4000; i++ {
			fmt.Fprintf(&out, "%s-%d ", r.URL.Path, i%1700)
		}
		w.Write(out.Bytes())
	})
}
