package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Hub receives the lines of all nodes and passes them on to the followers.
type Hub struct {
	mu        sync.Mutex
	recent    []string
	keep      int
	followers map[*follower]struct{}
	dropped   uint64
}

type follower struct {
	lines chan string
}

// NewHub keeps so many recent lines.
func NewHub(keep int) *Hub {
	h := &Hub{keep: keep, followers: make(map[*follower]struct{})}
	for i := 0; i < keep; i++ {
		h.recent = append(h.recent, line(i))
	}
	return h
}

// Followers is how many there are.
func (h *Hub) Followers() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(len(h.followers))
}

// Dropped is the number of lines that a follower was too slow for.
func (h *Hub) Dropped() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(h.dropped)
}

func (h *Hub) collect() {
	for n := 0; ; n++ {
		time.Sleep(200 * time.Millisecond)
		h.publish(line(n))
	}
}

func (h *Hub) publish(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent = append(h.recent[1:len(h.recent):len(h.recent)], text)
	for f := range h.followers {
		select {
		case f.lines <- text:
		default:
			h.dropped++
		}
	}
}

func (h *Hub) join() (*follower, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := &follower{lines: make(chan string, 64)}
	h.followers[f] = struct{}{}
	return f, append([]string(nil), h.recent...)
}

func (h *Hub) leave(f *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers, f)
}

func line(n int) string {
	return fmt.Sprintf("node-%02d kubelet[%d]: %s\n", n%40, 1000+n%900, strings.Repeat("probe succeeded; ", 40))
}
