package main

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// cursor is a search whose pages are read one after the other.
type cursor struct {
	id     string
	used   time.Time
	reader *readAhead
}

func (c *cursor) next() []string {
	c.used = time.Now()
	return c.reader.page()
}

// cursors keeps the open ones until they are finished or have not been used for a while.
type cursors struct {
	index *index
	idle  time.Duration

	mu   sync.Mutex
	last int
	byID map[string]*cursor
}

func newCursors(ix *index, idle time.Duration) *cursors {
	return &cursors{index: ix, idle: idle, byID: make(map[string]*cursor)}
}

func (cs *cursors) start(query string) *cursor {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.last++
	c := &cursor{id: strconv.Itoa(cs.last), used: time.Now(), reader: startReadAhead(cs.index, query)}
	cs.byID[c.id] = c
	return c
}

func (cs *cursors) finish(c *cursor) {
	cs.mu.Lock()
	delete(cs.byID, c.id)
	cs.mu.Unlock()
	c.reader.stop()
}

// reap drops cursors that nobody uses any more.
func (cs *cursors) reap(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			cs.mu.Lock()
			for id, c := range cs.byID {
				if now.Sub(c.used) > cs.idle {
					delete(cs.byID, id)
				}
			}
			cs.mu.Unlock()
		}
	}
}

func (cs *cursors) open() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.byID)
}
