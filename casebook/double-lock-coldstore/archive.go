package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

type file struct {
	name string
	sum  [32]byte
	data []byte
}

type segment struct {
	name  string
	files []string
	bytes int
}

// Archive packs files into segments. Everything but the inbox belongs to its run goroutine and, for the nightly listing,
// to whoever holds mu.
type Archive struct {
	limit int
	inbox chan file

	packed  uint64
	refused uint64
	sealed  uint64

	mu       sync.Mutex
	current  *segment
	catalog  map[string]string
	segments []*segment
}

// NewArchive returns an archive whose segments hold about limit bytes.
func NewArchive(limit int) *Archive {
	return &Archive{
		limit: limit, inbox: make(chan file, 32), current: &segment{name: "segment-000"}, catalog: make(map[string]string),
	}
}

// Accept takes a file, or refuses it when the archive is behind.
func (a *Archive) Accept(f file) bool {
	select {
	case a.inbox <- f:
		return true
	default:
		atomic.AddUint64(&a.refused, 1)
		return false
	}
}

func (a *Archive) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-a.inbox:
			a.pack(f)
		}
	}
}

func (a *Archive) pack(f file) {
	a.mu.Lock()
	a.current.files = append(a.current.files, f.name)
	a.current.bytes += len(f.data)
	full := a.current.bytes >= a.limit
	a.mu.Unlock()
	atomic.AddUint64(&a.packed, 1)
	if full {
		a.roll()
	}
}

// roll seals the current segment and begins the next.
func (a *Archive) roll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	done := a.current
	for _, name := range done.files {
		if old, ok := a.catalog[name]; ok && old != done.name {
			a.forget(name)
		}
		a.catalog[name] = done.name
	}
	a.segments = append(a.segments, done)
	a.current = &segment{name: fmt.Sprintf("segment-%03d", len(a.segments))}
	atomic.AddUint64(&a.sealed, 1)
}

// forget takes a file out of the segment that held an older version of it.
func (a *Archive) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.segments {
		if s.name != a.catalog[name] {
			continue
		}
		for i, have := range s.files {
			if have == name {
				s.files = append(s.files[:i], s.files[i+1:]...)
				break
			}
		}
	}
	delete(a.catalog, name)
}
