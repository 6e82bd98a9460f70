package main

import (
	"bytes"
	"time"
)

// studio has a few encoders; pictures wait their turn.
type studio struct {
	encoders chan struct{}
	pace     time.Duration
}

func newStudio(encoders int, pace time.Duration) *studio {
	return &studio{encoders: make(chan struct{}, encoders), pace: pace}
}

func (s *studio) preview(name string, keep func(string, []byte)) {
	raw := bytes.Repeat([]byte(name), 1+8192/(len(name)+1))
	keep(name, s.encode(raw))
}

func (s *studio) encode(raw []byte) []byte {
	release := s.acquire()
	defer release()
	time.Sleep(s.pace)
	small := make([]byte, 0, len(raw)/16)
	for i := 0; i+16 <= len(raw); i += 16 {
		small = append(small, raw[i])
	}
	return small
}

func (s *studio) acquire() func() {
	s.encoders <- struct{}{}
	return func() { <-s.encoders }
}
