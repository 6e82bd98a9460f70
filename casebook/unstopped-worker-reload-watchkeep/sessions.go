package main

import (
	"context"
	"sync"
	"time"
)

// sessions keeps an operator's screen alive for some seconds after the last request.
type sessions struct {
	ctx context.Context

	mu   sync.Mutex
	open map[string]chan struct{}
}

func newSessions(ctx context.Context) *sessions {
	return &sessions{ctx: ctx, open: make(map[string]chan struct{})}
}

func (s *sessions) seen(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	touch, ok := s.open[path]
	if !ok {
		touch = make(chan struct{}, 1)
		s.open[path] = touch
		go s.keep(path, touch)
	}
	select {
	case touch <- struct{}{}:
	default:
	}
}

func (s *sessions) keep(path string, touch <-chan struct{}) {
	idle := time.NewTimer(8 * time.Second)
	defer idle.Stop()
	for {
		select {
		case <-touch:
			idle.Reset(8 * time.Second)
		case <-idle.C:
			s.mu.Lock()
			delete(s.open, path)
			s.mu.Unlock()
			return
		case <-s.ctx.Done():
			return
		}
	}
}
