package main

import "sync"

// spooler keeps the last notes; its clerks wait on a condition.
type spooler struct {
	mu    sync.Mutex
	some  sync.Cond
	notes []string
	kept  int
}

func startSpooler(clerks int) *spooler {
	s := &spooler{}
	s.some.L = &s.mu
	for i := 0; i < clerks; i++ {
		go s.clerk()
	}
	return s
}

func (s *spooler) note(text string) {
	s.mu.Lock()
	s.notes = append(s.notes, text)
	s.mu.Unlock()
	s.some.Signal()
}

func (s *spooler) clerk() {
	s.mu.Lock()
	for {
		for len(s.notes) == 0 {
			s.some.Wait()
		}
		s.notes, s.kept = s.notes[:0], s.kept+len(s.notes)
	}
}
