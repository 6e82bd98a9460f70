// Package journal keeps the last events of a service and hands them to whoever follows.
package journal

import (
	"sync"
	"time"
)

// An Entry is one event.
type Entry struct {
	At   time.Time
	Text string
}

// A Journal is a ring of entries, written by one goroutine.
type Journal struct {
	in chan Entry

	mu   sync.Mutex
	ring []Entry
	next int
}

// Open starts the writer.
func Open(size int) *Journal {
	j := &Journal{in: make(chan Entry, 128), ring: make([]Entry, size)}
	go j.write()
	return j
}

// Note adds an event; when the writer is behind, the event is dropped.
func (j *Journal) Note(text string) {
	select {
	case j.in <- Entry{At: time.Now(), Text: text}:
	default:
	}
}

// Last returns up to n entries, newest first.
func (j *Journal) Last(n int) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Entry
	for i := j.next - 1; i >= 0 && i >= j.next-len(j.ring) && len(out) < n; i-- {
		out = append(out, j.ring[i%len(j.ring)])
	}
	return out
}

func (j *Journal) write() {
	for e := range j.in {
		j.mu.Lock()
		j.ring[j.next%len(j.ring)] = e
		j.next++
		j.mu.Unlock()
	}
}
