package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
)

// A Lease is the right to use a thing for a while, with the notes of its holder.
type Lease struct {
	desk  *Desk
	name  string
	notes []byte
	until *time.Timer
}

// A Desk hands out leases.
type Desk struct {
	term   time.Duration
	events *journal.Journal

	mu       sync.Mutex
	leases   map[string]*Lease
	watchers map[chan string]struct{}
}

// NewDesk ends leases after the term.
func NewDesk(term time.Duration, events *journal.Journal) *Desk {
	return &Desk{term: term, events: events, leases: make(map[string]*Lease), watchers: make(map[chan string]struct{})}
}

func (d *Desk) held() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return float64(len(d.leases))
}

func (d *Desk) grant(name string) *Lease {
	l := &Lease{desk: d, name: name, notes: make([]byte, 36<<10)}
	l.until = time.AfterFunc(d.term, l.end)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leases[name] = l
	return l
}

func (l *Lease) end() {
	l.until.Stop()
	l.desk.mu.Lock()
	delete(l.desk.leases, l.name)
	for watcher := range l.desk.watchers {
		select {
		case watcher <- l.name:
		default:
		}
	}
	l.desk.mu.Unlock()
	l.desk.events.Note("ended " + l.name)
}

// lease grants a lease; most holders never say that they are done.
func (d *Desk) lease(w http.ResponseWriter, r *http.Request) {
	l := d.grant(chassis.Tail(r, "/lease/"))
	fmt.Fprintf(w, "%s is yours for %s\n", l.name, d.term)
}

// brief is a lease for the length of the request.
func (d *Desk) brief(w http.ResponseWriter, r *http.Request) {
	l := d.grant("brief/" + chassis.Tail(r, "/brief/"))
	defer l.end()
	copy(l.notes, strings.Repeat(l.name, 100))
	time.Sleep(30 * time.Millisecond)
	fmt.Fprintf(w, "%s: %d bytes of notes\n", l.name, len(l.notes))
}

func (d *Desk) list(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	names := make([]string, 0, len(d.leases))
	for name := range d.leases {
		names = append(names, name)
	}
	d.mu.Unlock()
	fmt.Fprintln(w, strings.Join(names, "\n"))
}

// watch tells which leases end, until the watcher goes.
func (d *Desk) watch(w http.ResponseWriter, r *http.Request) {
	ended := make(chan string, 32)
	d.mu.Lock()
	d.watchers[ended] = struct{}{}
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.watchers, ended)
		d.mu.Unlock()
	}()
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case name := <-ended:
			fmt.Fprintln(w, name)
			flusher.Flush()
		}
	}
}

// rounds walks past all leases, with one walker per 20 of them.
func (d *Desk) rounds(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for n := int(d.held()) / 20; n > 0; n-- {
			go d.walk()
		}
	}
}

func (d *Desk) walk() {
	time.Sleep(800 * time.Millisecond)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.leases {
		if len(l.notes) == 0 {
			d.events.Note("empty " + l.name)
		}
	}
}
