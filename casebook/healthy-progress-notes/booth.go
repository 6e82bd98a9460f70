package main

import (
	"context"
	"sync"
	"time"
)

type note struct {
	clip string
	text string
}

type clip struct {
	name  string
	notes chan note
}

// booth transcodes clips. The first note of a clip goes to the client, the second to the collector, which comes by
// every few seconds.
type booth struct {
	every time.Duration
	store func(note)

	mu    sync.Mutex
	clips []*clip
}

func newBooth(every time.Duration) *booth {
	return &booth{every: every}
}

func (b *booth) accept(name string) note {
	c := &clip{name: name, notes: make(chan note)}
	go c.transcode()
	first := <-c.notes
	b.mu.Lock()
	b.clips = append(b.clips, c)
	b.mu.Unlock()
	return first
}

func (c *clip) transcode() {
	c.notes <- note{c.name, "begun"}
	time.Sleep(90 * time.Millisecond)
	c.notes <- note{c.name, "done"}
}

func (b *booth) collect(ctx context.Context) {
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			b.mu.Lock()
			clips := b.clips
			b.clips = nil
			b.mu.Unlock()
			for _, c := range clips {
				b.store(<-c.notes)
			}
		}
	}
}
