package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

type decks struct {
	mu  sync.Mutex
	all map[string]*deck
}

type deck struct {
	name string

	mu       sync.Mutex
	visitors map[*visitor]struct{}
}

// visitor is one open page.
type visitor struct {
	deck  *deck
	lines chan string
	gone  chan struct{}
	since time.Time
	away  bool
}

func newDecks() *decks {
	return &decks{all: make(map[string]*deck)}
}

func (d *decks) deck(name string) *deck {
	key := "deck-" + name[len(name)-1:]
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.all[key]
	if one == nil {
		one = &deck{name: key, visitors: make(map[*visitor]struct{})}
		d.all[key] = one
	}
	return one
}

func (d *decks) tidy(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, one := range d.all {
		one.mu.Lock()
		if len(one.visitors) == 0 {
			delete(d.all, key)
		}
		one.mu.Unlock()
	}
}

func (d *deck) join() *visitor {
	v := &visitor{deck: d, lines: make(chan string, 8), gone: make(chan struct{}), since: time.Now()}
	d.mu.Lock()
	d.visitors[v] = struct{}{}
	d.mu.Unlock()
	go v.presence()
	return v
}

func (d *deck) say(text string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	heard := 0
	for v := range d.visitors {
		select {
		case v.lines <- text:
			heard++
		default:
		}
	}
	return heard
}

func (v *visitor) part() {
	v.deck.mu.Lock()
	delete(v.deck.visitors, v)
	v.deck.mu.Unlock()
	close(v.gone)
}

// presence marks the visitor as away after a long while.
func (v *visitor) presence() {
	long := time.NewTimer(20 * time.Minute)
	defer long.Stop()
	select {
	case <-long.C:
		v.deck.mu.Lock()
		v.away = true
		v.deck.mu.Unlock()
	case <-v.gone:
	}
}

func (v *visitor) stream(ctx context.Context, w io.Writer, flush http.Flusher) {
	for {
		select {
		case line := <-v.lines:
			if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil {
				return
			}
			flush.Flush()
		case <-ctx.Done():
			return
		}
	}
}
