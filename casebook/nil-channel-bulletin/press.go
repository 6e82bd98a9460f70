package main

import (
	"context"
	"sync"
	"time"
)

// press prints titles and hands them to the attached readers.
type press struct {
	mu      sync.Mutex
	titles  []string
	readers []chan<- string
	queue   chan string
}

func startPress() *press {
	return &press{queue: make(chan string, 32)}
}

func (p *press) attach(reader chan<- string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers = append(p.readers, reader)
}

func (p *press) print(title string) {
	p.queue <- title
}

func (p *press) roll(ctx context.Context) {
	idle := time.NewTicker(4 * time.Second)
	defer idle.Stop()
	for {
		select {
		case title := <-p.queue:
			p.hand(title)
		case <-idle.C:
			p.hand("the tide table")
		case <-ctx.Done():
			return
		}
	}
}

func (p *press) hand(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.titles) == 100 {
		p.titles = p.titles[:0]
	}
	p.titles = append(p.titles, title)
	for _, reader := range p.readers {
		select {
		case reader <- title:
		default:
		}
	}
}

func (p *press) since(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > len(p.titles) {
		n = 0
	}
	return append([]string(nil), p.titles[n:]...)
}
