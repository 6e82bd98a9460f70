package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Rates asks for exchange rates, several at once.
type Rates struct {
	base   string
	client *http.Client
}

// NewRates returns a client with a pool of its own.
func NewRates(base string) *Rates {
	return &Rates{base: base, client: &http.Client{
		Timeout:   3 * time.Second,
		Transport: &http.Transport{MaxIdleConns: 200, MaxIdleConnsPerHost: 80, IdleConnTimeout: 4 * time.Minute},
	}}
}

// Basket sums a basket of currencies.
func (r *Rates) Basket(ctx context.Context, name string) (float64, error) {
	currencies := []string{"EUR", "USD", "CHF", "SEK", "JPY", "GBP", "PLN", "CZK"}
	values := make([]float64, len(currencies))
	errs := make([]error, len(currencies))
	var all sync.WaitGroup
	for i := range currencies {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			values[i], errs[i] = r.rate(ctx, currencies[i])
		}(i)
	}
	all.Wait()
	total := 0.0
	for i := range currencies {
		if errs[i] != nil {
			return 0, fmt.Errorf("basket %s: %w", name, errs[i])
		}
		total += values[i]
	}
	return total, nil
}

func (r *Rates) rate(ctx context.Context, currency string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/rate/"+currency, nil)
	if err != nil {
		return 0, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return float64(len(text)), err
}

// Watchers look at the rates of the great currencies, one goroutine each.
type Watchers struct {
	every time.Duration
}

// NewWatchers returns watchers that look every few seconds.
func NewWatchers() *Watchers { return &Watchers{every: 5 * time.Second} }

func (w *Watchers) run(ctx context.Context) {
	var all sync.WaitGroup
	for i := 0; i < 24; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for ctx.Err() == nil {
				time.Sleep(w.every)
			}
		}()
	}
	all.Wait()
}
