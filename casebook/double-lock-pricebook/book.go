package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Quote is a price as customers see it.
type Quote struct {
	Article  int    `json:"article"`
	Cents    int64  `json:"cents"`
	Currency string `json:"currency"`
	Revision int    `json:"revision"`
}

var rates = map[string]int64{"EUR": 1000, "CHF": 950, "SEK": 11400, "PLN": 4300}

// Book is the price list.
type Book struct {
	mu       sync.Mutex
	prices   map[int]int64
	currency string
	revision int
}

// NewBook returns a list of n articles in euro.
func NewBook(n int) *Book {
	b := &Book{prices: make(map[int]int64, n), currency: "EUR"}
	for id := 0; id < n; id++ {
		b.prices[id] = int64(199 + id)
	}
	return b
}

// Lookup returns the price of an article.
func (b *Book) Lookup(id int) (Quote, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	cents, ok := b.prices[id]
	if !ok {
		return Quote{}, fmt.Errorf("article %d is not on the list", id)
	}
	return Quote{Article: id, Cents: cents, Currency: b.currency, Revision: b.revision}, nil
}

// Put changes one price and returns the new revision.
func (b *Book) Put(id int, cents int64) int {
	b.mu.Lock()
	b.prices[id] = cents
	b.mu.Unlock()
	return b.bump(1)
}

// bump opens a new revision of the list.
func (b *Book) bump(changes int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revision += changes
	return b.revision
}

// Rebase turns all prices into another currency.
func (b *Book) Rebase(to string) (int, error) {
	rate, ok := rates[to]
	if !ok {
		return 0, fmt.Errorf("currency %q is not traded", to)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if to == b.currency {
		return 0, nil
	}
	changed := b.convert(rate, rates[b.currency])
	b.currency = to
	return changed, nil
}

func (b *Book) convert(to, from int64) int {
	changed := 0
	for id, cents := range b.prices {
		if next := cents * to / from; next != cents {
			b.prices[id] = next
			changed++
		}
	}
	b.bump(changed)
	return changed
}

// follow takes over what the exchange publishes.
func follow(ctx context.Context, b *Book) {
	tick := time.NewTicker(1500 * time.Millisecond)
	defer tick.Stop()
	for day := 0; ; day++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			b.Put(day%100, int64(150+day))
		}
	}
}
