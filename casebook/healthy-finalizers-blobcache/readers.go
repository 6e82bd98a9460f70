package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

// readers answer requests from the cache.
type readers struct {
	cache *Cache
	lane  *lane.Lane
	desks chan struct{}
}

func newReaders(cache *Cache, l *lane.Lane) *readers {
	return &readers{cache: cache, lane: l, desks: make(chan struct{}, 60)}
}

func (s *readers) read(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/blob/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h := s.cache.Open(n)
	sum := 0
	s.lane.Wait(func() { sum = add(h) })
	fmt.Fprintf(w, "%d\n", sum)
}

// slow reads a blob aside, at the pace of a person, and answers at once.
func (s *readers) slow(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/slow/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case s.desks <- struct{}{}:
		go s.study(s.cache.Open(n))
		w.WriteHeader(http.StatusAccepted)
	default:
		http.Error(w, "all desks are taken", http.StatusServiceUnavailable)
	}
}

func (s *readers) study(h *Handle) {
	defer func() { <-s.desks }()
	for page := 0; page < 12; page++ {
		time.Sleep(time.Second)
		h.data[page]++
	}
}

func add(h *Handle) int {
	sum := 0
	for _, b := range h.data {
		sum += int(b)
	}
	return sum
}
