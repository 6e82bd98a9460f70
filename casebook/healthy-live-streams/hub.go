package main

import (
	"fmt"
	"net/http"
	"sync"
)

// hub knows all listeners.
type hub struct {
	mu  sync.Mutex
	all map[*listener]bool
}

func newHub() *hub { return &hub{all: make(map[*listener]bool)} }

func (h *hub) add(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[l] = true
}

func (h *hub) remove(l *listener) {
	h.mu.Lock()
	delete(h.all, l)
	h.mu.Unlock()
	l.close()
}

func (h *hub) publish(level string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.all {
		l.offer(level)
	}
}

func (h *hub) listeners() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

// stream answers with events until the client goes away.
func (h *hub) stream(w http.ResponseWriter, r *http.Request) {
	flush, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush.Flush()

	l := newListener()
	h.add(l)
	defer h.remove(l)
	go l.pump()
	for {
		select {
		case <-r.Context().Done():
			return
		case text := <-l.out:
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
				return
			}
			flush.Flush()
		}
	}
}
