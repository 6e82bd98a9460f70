package main

import (
	"context"
	"time"

	"example.org/tinlane/plumb/httpd"
)

type location struct {
	Address string  `json:"address"`
	City    string  `json:"city"`
	Lat     float64 `json:"lat"`
	Lon     float64 `json:"lon"`
	Mirror  string  `json:"mirror"`
}

// resolver asks all mirrors and takes whichever answers first.
type resolver struct {
	mirrors []*mirror
	cache   *cache
	limit   time.Duration
}

func (r *resolver) locate(c *httpd.Call) error {
	if loc, ok := r.cache.get(c.Rest); ok {
		return c.JSON(200, loc)
	}
	loc, err := r.fastest(c.Ctx(), c.Rest)
	if err != nil {
		return err
	}
	r.cache.put(c.Rest, loc)
	return c.JSON(200, loc)
}

func (r *resolver) fastest(ctx context.Context, address string) (location, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()

	first := make(chan location)
	for _, m := range r.mirrors {
		go m.lookup(address, first)
	}
	select {
	case loc := <-first:
		return loc, nil
	case <-ctx.Done():
		return location{}, ctx.Err()
	}
}

func (r *resolver) list(c *httpd.Call) error {
	names := make([]string, 0, len(r.mirrors))
	for _, m := range r.mirrors {
		names = append(names, m.name)
	}
	return c.JSON(200, names)
}
