package main

import (
	"sync"
	"time"
)

// shelf keeps the newest previews; each slot is dusted by its own goroutine.
type shelf struct {
	mu    sync.RWMutex
	slots []slot
	next  int
}

type slot struct {
	name  string
	image []byte
	dirty chan struct{}
}

func newShelf(slots int) *shelf {
	s := &shelf{slots: make([]slot, slots)}
	for i := range s.slots {
		s.slots[i].dirty = make(chan struct{}, 1)
		go dust(s.slots[i].dirty)
	}
	return s
}

func dust(dirty <-chan struct{}) {
	for range dirty {
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *shelf) keep(name string, image []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := &s.slots[s.next%len(s.slots)]
	s.next++
	at.name, at.image = name, image
	select {
	case at.dirty <- struct{}{}:
	default:
	}
}

func (s *shelf) has(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.slots {
		if s.slots[i].name == name {
			return true
		}
	}
	return false
}
