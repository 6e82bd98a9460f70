// Package intake takes the records of the gates.
package intake

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Record is one line of a gate.
type Record struct {
	Gate string
	Line string
}

// Log sorts records by gate.
type Log struct {
	lanes   []chan Record
	rejects chan Record

	mu     sync.Mutex
	counts map[string]int
	epoch  int
}

// Option changes a Log.
type Option func(*Log)

// KeepRejects keeps the last unreadable records.
func KeepRejects(n int) Option {
	return func(l *Log) {
		l.rejects = make(chan Record)
		go l.shelve(make([]Record, 0, n))
	}
}

// Open returns a log that is written in that many lanes, three writers each.
func Open(lanes int, opts ...Option) *Log {
	l := &Log{counts: make(map[string]int)}
	for _, opt := range opts {
		opt(l)
	}
	for i := 0; i < lanes; i++ {
		lane := make(chan Record, 16)
		l.lanes = append(l.lanes, lane)
		for w := 0; w < 3; w++ {
			go l.write(lane)
		}
	}
	return l
}

// Take takes a record; what becomes of it is seen later.
func (l *Log) Take(r Record) {
	go l.sort(r)
}

func (l *Log) sort(r Record) {
	gate, ok := parse(r)
	if !ok {
		l.refuse(r)
		return
	}
	time.Sleep(30 * time.Millisecond)
	l.lanes[gate%len(l.lanes)] <- r
}

func (l *Log) refuse(r Record) {
	l.note("unreadable")
	l.rejects <- r
}

func (l *Log) shelve(shelf []Record) {
	for r := range l.rejects {
		if len(shelf) == cap(shelf) {
			shelf = shelf[:0]
		}
		shelf = append(shelf, r)
	}
}

func (l *Log) write(lane <-chan Record) {
	for r := range lane {
		l.note(r.Gate)
	}
}

func (l *Log) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.counts) > 200 {
		l.counts = make(map[string]int)
	}
	l.counts[what]++
}

// Counts returns how many records each gate has sent.
func (l *Log) Counts() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]int, len(l.counts))
	for k, v := range l.counts {
		out[k] = v
	}
	return out
}

// Rotate begins a new page.
func (l *Log) Rotate(context.Context) {
	l.mu.Lock()
	l.epoch++
	l.mu.Unlock()
}

// parse reads "IN 17 plate" and "OUT 17 plate".
func parse(r Record) (int, bool) {
	words := strings.Fields(r.Line)
	if len(words) != 3 || (words[0] != "IN" && words[0] != "OUT") {
		return 0, false
	}
	return len(words[2]), true
}
