// Command feedhub lets clients wait for news: a poll is answered by news, or after a while by nothing.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"example.com/market/telemetry"
)

type hub struct {
	mu   sync.Mutex
	news chan struct{}
}

func (h *hub) poll(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	news := h.news
	h.mu.Unlock()
	select {
	case <-news:
		fmt.Fprintln(w, "news")
	case <-time.After(4 * time.Minute):
		w.WriteHeader(http.StatusNoContent)
	case <-r.Context().Done():
	}
}

func main() {
	telemetry.Serve()
	h := &hub{news: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/poll", h.poll)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
