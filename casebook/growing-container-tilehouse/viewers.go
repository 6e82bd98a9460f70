package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// follow streams the times of map updates until the browser goes.
func (v *viewers) follow(w http.ResponseWriter, r *http.Request) {
	news := make(chan time.Time, 4)
	v.mu.Lock()
	v.news[news] = true
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.news, news)
		v.mu.Unlock()
	}()
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flusher.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case at := <-news:
			fmt.Fprintf(w, "data: %s\n\n", at.Format(time.RFC3339))
			flusher.Flush()
		}
	}
}

// announce tells all browsers when the map has changed.
func (v *viewers) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(90 * time.Second):
		}
		v.mu.Lock()
		for news := range v.news {
			select {
			case news <- time.Now():
			default:
			}
		}
		v.mu.Unlock()
	}
}
