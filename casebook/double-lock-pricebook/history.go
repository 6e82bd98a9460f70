package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Row is a price of the past.
type Row struct {
	Day   string `json:"day"`
	Cents int    `json:"cents"`
}

// History is read through a small pool of sessions, each kept by a goroutine of its own.
type History struct {
	idle chan *session
	size int

	mu   sync.Mutex
	open int
}

type session struct {
	ask chan request
}

type request struct {
	article int
	reply   chan []Row
}

// OpenHistory returns a pool of at most size sessions, opened when they are needed.
func OpenHistory(size int) *History { return &History{idle: make(chan *session, size), size: size} }

// Open is the number of open sessions.
func (h *History) Open() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open
}

func (h *History) session(ctx context.Context) (*session, error) {
	h.mu.Lock()
	if h.open < h.size {
		h.open++
		h.mu.Unlock()
		s := &session{ask: make(chan request)}
		go s.serve()
		return s, nil
	}
	h.mu.Unlock()
	select {
	case s := <-h.idle:
		return s, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("no session: %w", ctx.Err())
	}
}

// Read returns the last months of an article.
func (h *History) Read(ctx context.Context, article int) ([]Row, error) {
	s, err := h.session(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { h.idle <- s }()
	reply := make(chan []Row, 1)
	s.ask <- request{article, reply}
	return <-reply, nil
}

func (s *session) serve() {
	for req := range s.ask {
		time.Sleep(60 * time.Millisecond)
		rows := make([]Row, 0, 180)
		for d := 0; d < 180; d++ {
			rows = append(rows, Row{Day: fmt.Sprintf("day-%03d", d), Cents: 100 + (req.article*d)%700})
		}
		req.reply <- rows
	}
}

// Audit reads every session's books anew.
func (h *History) Audit() {
	for i := 0; i < h.Open(); i++ {
		select {
		case s := <-h.idle:
			reply := make(chan []Row, 1)
			s.ask <- request{i, reply}
			<-reply
			h.idle <- s
		default:
			return
		}
	}
}
