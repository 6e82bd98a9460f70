package main

import (
	"context"
	"sync"
	"time"
)

type label struct {
	text string
	done chan struct{}
}

// hall is a pool of printers. A label that finds none free within a moment switches on another, up to a maximum;
// printers stay on, since warming up takes longer than anything else.
type hall struct {
	labels chan *label
	most   int

	mu sync.Mutex
	on int
}

func newHall(first, most int) *hall {
	h := &hall{labels: make(chan *label), most: most}
	for i := 0; i < first; i++ {
		h.switchOn()
	}
	return h
}

func (h *hall) switchOn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.on == h.most {
		return false
	}
	h.on++
	p := &printer{number: h.on, buffer: make([]byte, 2048)}
	go p.run(h.labels)
	return true
}

func (h *hall) print(ctx context.Context, l *label) error {
	for patience := 4 * time.Millisecond; ; patience *= 2 {
		soon := time.NewTimer(patience)
		select {
		case h.labels <- l:
			soon.Stop()
			return h.wait(ctx, l)
		case <-ctx.Done():
			soon.Stop()
			return ctx.Err()
		case <-soon.C:
			h.switchOn()
		}
	}
}

func (h *hall) wait(ctx context.Context, l *label) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hall) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.on
}

type printer struct {
	number int
	buffer []byte
}

func (p *printer) run(labels <-chan *label) {
	for l := range labels {
		n := copy(p.buffer, l.text)
		time.Sleep(time.Duration(300+n) * time.Millisecond)
		close(l.done)
	}
}
