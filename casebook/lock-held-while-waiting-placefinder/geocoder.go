package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"sync"
	"sync/atomic"
)

// Point is a place on earth.
type Point struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

// Geocoder asks the provider, whose terms allow one question at a time.
type Geocoder struct {
	base   string
	client *http.Client
	asked  uint64

	mu    sync.Mutex
	known map[string]Point
	hits  [256]uint32
}

// NewGeocoder returns a geocoder that has asked nothing yet.
func NewGeocoder(base string) *Geocoder {
	return &Geocoder{base: base, client: &http.Client{}, known: make(map[string]Point)}
}

// Resolve returns where a place is.
func (g *Geocoder) Resolve(ctx context.Context, name string) (Point, error) {
	atomic.AddUint32(&g.hits[len(name)%256], 1)
	if err := ctx.Err(); err != nil {
		return Point{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.known[name]; ok {
		return p, nil
	}
	p, err := g.ask(name)
	if err != nil {
		return Point{}, fmt.Errorf("place %q: %w", name, err)
	}
	if len(g.known) < 10000 {
		g.known[name] = p
	}
	return p, nil
}

func (g *Geocoder) ask(name string) (Point, error) {
	var p Point
	atomic.AddUint64(&g.asked, 1)
	resp, err := g.client.Get(g.base + "/v1/geocode?q=" + url.QueryEscape(name))
	if err != nil {
		return p, err
	}
	defer drain(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return p, fmt.Errorf("provider said %s", resp.Status)
	}
	return p, json.NewDecoder(resp.Body).Decode(&p)
}

// Popular sorts the shapes of names by how often they were asked for.
func (g *Geocoder) Popular() []int {
	order := make([]int, 0, 1<<15)
	for i := 0; i < 1<<15; i++ {
		order = append(order, int(atomic.LoadUint32(&g.hits[i%256]))+i)
	}
	sort.Ints(order)
	return order[:10]
}
