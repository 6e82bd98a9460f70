package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

// Shop answers for the carts.
type Shop struct {
	carts  *Carts
	prices *peer.Peer
	offers []string
	most   int

	mu       sync.Mutex
	partners map[int]chan float64
}

// checkout fills a cart from one request and closes it at once, as partner shops do.
func (s *Shop) checkout(w http.ResponseWriter, r *http.Request) {
	cart := s.carts.Open(chassis.Tail(r, "/checkout/"))
	list, err := s.prices.Get(r.Context(), "/prices/"+cart.id, 1<<20)
	if err != nil {
		s.carts.Close(cart)
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for i, field := range bytes.Fields(list) {
		if i == s.most {
			break
		}
		price, _ := strconv.ParseFloat(string(field), 64)
		s.carts.Add(cart, "a"+strconv.Itoa(i), price)
	}
	sum := s.carts.Close(cart)
	s.tell(cart.id, sum)
	fmt.Fprintf(w, "%.2f\n", sum)
}

// tell sends the sum to the partner, one of 64, whose cart it was.
func (s *Shop) tell(cart string, sum float64) {
	number, _ := strconv.Atoi(cart)
	number %= 64
	s.mu.Lock()
	sums := s.partners[number]
	if sums == nil {
		sums = make(chan float64, 8)
		s.partners[number] = sums
		go s.partner(sums)
	}
	s.mu.Unlock()
	sums <- sum
}

// partner adds up what a partner has sold.
func (s *Shop) partner(sums <-chan float64) {
	total := 0.0
	for sum := range sums {
		total += sum
	}
}

// keep puts a line into the saved cart of one of 300 customers.
func (s *Shop) keep(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/carts/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cart := s.carts.Saved(strconv.Itoa(n % 300))
	fmt.Fprintf(w, "%d lines\n", len(cart.lines))
}

func (s *Shop) offer(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, s.offers[len(r.URL.Path)%len(s.offers)])
}

// recount counts the open carts for the dashboard.
func (s *Shop) recount(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.carts.open()
		case <-ctx.Done():
			return
		}
	}
}

func loadOffers(n int) []string {
	offers := make([]string, n)
	for i := range offers {
		offers[i] = fmt.Sprintf("offer %d: two for one", i)
	}
	return offers
}

// priceService stands in for the price list.
func priceService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond)
		for i := 0; i < 2500; i++ {
			fmt.Fprintf(w, "%d.%02d\n", i%90, i%100)
		}
	})
}
