// Relay tells listeners what is said. A request listens for what comes next; the last things said are kept in a ring.
package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/firsts/serve"
)

const ring = 200

type relay struct {
	mu        sync.Mutex
	listeners map[chan string]struct{}
	said      [ring]string
	at        int
}

func (h *relay) say(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said[h.at%ring] = what
	h.at++
	for listener := range h.listeners {
		select {
		case listener <- what:
		default:
		}
	}
}

func (h *relay) listen() (<-chan string, func()) {
	own := make(chan string, 4)
	h.mu.Lock()
	h.listeners[own] = struct{}{}
	h.mu.Unlock()
	return own, func() {
		h.mu.Lock()
		delete(h.listeners, own)
		h.mu.Unlock()
	}
}

func main() {
	h := &relay{listeners: map[chan string]struct{}{}}
	http.HandleFunc("/say", func(w http.ResponseWriter, r *http.Request) {
		h.say(strings.Repeat(r.URL.RawQuery+" ", 400))
		fmt.Fprintln(w, "said")
	})
	http.HandleFunc("/next", func(w http.ResponseWriter, r *http.Request) {
		heard, leave := h.listen()
		defer leave()
		copied := make(chan string, 1)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select {
			case one := <-heard:
				copied <- one[:10]
			case <-stop:
			}
		}()
		select {
		case one := <-copied:
			fmt.Fprintln(w, one)
		case <-time.After(40 * time.Millisecond):
			fmt.Fprintln(w, "silence")
		case <-r.Context().Done():
		}
	})
	serve.Run()
}
