package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
)

// Fonts are the faces for labels in all sizes, loaded on demand.
type Fonts struct {
	mu    sync.RWMutex
	faces map[int][]byte
}

// NewFonts has no face loaded.
func NewFonts() *Fonts {
	return &Fonts{faces: make(map[int][]byte)}
}

func (f *Fonts) face(number int) []byte {
	f.mu.RLock()
	b := f.faces[number]
	f.mu.RUnlock()
	if b != nil {
		return b
	}
	b = loadFace(number)
	f.mu.Lock()
	f.faces[number] = b
	f.mu.Unlock()
	return b
}

func loadFace(number int) []byte {
	b := make([]byte, 128<<10)
	for i := range b {
		b[i] = byte(i * number)
	}
	return b
}

func (f *Fonts) show(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/fonts/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write(f.face(n % 150)[:256])
}

// stations are the packing stations, each with an attendant.
type stations struct {
	calls []chan string
	lamp  chan bool
}

func newStations(n int) *stations {
	s := &stations{lamp: make(chan bool)}
	for i := 0; i < n; i++ {
		calls := make(chan string, 2)
		s.calls = append(s.calls, calls)
		go s.attend(calls)
	}
	return s
}

func (s *stations) attend(calls <-chan string) {
	for {
		select {
		case <-calls:
		case <-s.lamp:
		}
	}
}

func (s *stations) call(w http.ResponseWriter, r *http.Request) {
	name := chassis.Tail(r, "/stations/")
	s.calls[len(name)*31%len(s.calls)] <- name
	fmt.Fprintf(w, "called %s\n", name)
}

func (s *stations) lights(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(4 * time.Second):
			s.lamp <- true
		}
	}
}
