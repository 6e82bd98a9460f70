package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.org/quarry/portico"
)

// Feed tells browsers about changes as server-sent events.
type Feed struct {
	mu        sync.Mutex
	listeners map[chan string]struct{}
}

// NewFeed returns a feed without listeners.
func NewFeed() *Feed { return &Feed{listeners: make(map[chan string]struct{})} }

// Listeners is the number of connected browsers.
func (f *Feed) Listeners() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return float64(len(f.listeners))
}

func (f *Feed) serve(c *portico.Call) error {
	out, ok := c.W.(http.Flusher)
	if !ok {
		return portico.Refusal{Status: http.StatusNotImplemented, Reason: "no streaming"}
	}
	news := make(chan string, 4)
	f.mu.Lock()
	f.listeners[news] = struct{}{}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.listeners, news)
		f.mu.Unlock()
	}()
	c.W.Header().Set("Content-Type", "text/event-stream")
	c.Status(http.StatusOK)
	out.Flush()
	for {
		select {
		case <-c.Ctx.Done():
			return nil
		case line := <-news:
			if _, err := fmt.Fprintf(c.W, "data: %s\n\n", line); err != nil {
				return nil
			}
			out.Flush()
		}
	}
}

// announce publishes the size of the index now and then.
func (f *Feed) announce(ring *Ring) {
	for range time.Tick(20 * time.Second) {
		line := fmt.Sprintf("%d regions", len(ring.regions))
		f.mu.Lock()
		for ch := range f.listeners {
			select {
			case ch <- line:
			default:
			}
		}
		f.mu.Unlock()
	}
}
