package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"sort"
	"sync"
	"time"

	"example.org/meridian/gangway"
)

const shopBudget = 150 * time.Millisecond

type offer struct {
	Carrier string `json:"carrier"`
	Cents   int    `json:"cents"`
}

type carrier struct {
	name    string
	latency time.Duration
}

// board is where the carriers post their offers for one search.
type board struct {
	route  string
	offers chan offer
}

func (b *board) post(o offer) {
	b.offers <- o
}

type fareDesk struct {
	inventory *gangway.Neighbour
	carriers  []carrier

	mu    sync.Mutex
	rates map[string]int
}

func newFareDesk(inventory *gangway.Neighbour) *fareDesk {
	return &fareDesk{
		inventory: inventory,
		carriers: []carrier{
			{"southern", 10 * time.Millisecond},
			{"blueline", 25 * time.Millisecond},
			{"northline", 400 * time.Millisecond},
		},
		rates: make(map[string]int),
	}
}

func (d *fareDesk) shop(ctx context.Context, route string) ([]offer, error) {
	if _, err := d.inventory.Get(ctx, "/routes/"+route); err != nil {
		return nil, err
	}
	b := &board{route: route, offers: make(chan offer)}
	for _, c := range d.carriers {
		go d.ask(c, b)
	}
	return d.collect(ctx, b), nil
}

func (d *fareDesk) collect(ctx context.Context, b *board) []offer {
	budget := time.NewTimer(shopBudget)
	defer budget.Stop()
	var got []offer
	for len(got) < len(d.carriers) {
		select {
		case o := <-b.offers:
			got = append(got, o)
		case <-budget.C:
			return cheapest(got)
		case <-ctx.Done():
			return cheapest(got)
		}
	}
	return cheapest(got)
}

func (d *fareDesk) ask(c carrier, b *board) {
	time.Sleep(c.latency)
	d.answer(c, b)
}

func (d *fareDesk) answer(c carrier, b *board) {
	price := d.rate(c.name, b.route)
	b.post(offer{Carrier: c.name, Cents: price})
}

func (d *fareDesk) rate(name, route string) int {
	key := name + "/" + route
	d.mu.Lock()
	defer d.mu.Unlock()
	if cents, ok := d.rates[key]; ok {
		return cents
	}
	h := fnv.New32a()
	fmt.Fprint(h, key)
	cents := 4900 + int(h.Sum32()%30000)
	d.rates[key] = cents
	return cents
}

func (d *fareDesk) ageRates(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.rates {
		if len(d.rates) < 64 {
			return
		}
		delete(d.rates, key)
	}
}

func cheapest(offers []offer) []offer {
	sort.Slice(offers, func(i, j int) bool { return offers[i].Cents < offers[j].Cents })
	return offers
}
