package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
)

// A Plan is how a query is answered; there are 120 kinds of query.
type Plan struct {
	kind  int
	steps []float64
}

// Engine answers queries.
type Engine struct {
	source  *peer.Peer
	workers *lane.Lane
	columns *Columns

	mu    sync.Mutex
	plans map[int]*Plan
}

func (e *Engine) planned() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return float64(len(e.plans))
}

func (e *Engine) plan(number int) *Plan {
	e.mu.Lock()
	defer e.mu.Unlock()
	kind := number % 120
	p := e.plans[kind]
	if p == nil {
		p = &Plan{kind: kind, steps: make([]float64, 8<<10)}
		e.plans[kind] = p
	}
	return p
}

func (e *Engine) load(r *http.Request, prefix string) (*Column, *Plan, error) {
	number, err := strconv.Atoi(chassis.Tail(r, prefix))
	if err != nil {
		return nil, nil, err
	}
	seed, err := e.source.Get(r.Context(), "/table/"+strconv.Itoa(number), 1<<20)
	if err != nil {
		return nil, nil, err
	}
	c, err := e.columns.Map(columnSize / 8)
	if err != nil {
		return nil, nil, err
	}
	e.workers.Wait(func() { c.Fill(seed) })
	return c, e.plan(number), nil
}

// sum adds up a column.
func (e *Engine) sum(w http.ResponseWriter, r *http.Request) {
	c, p, err := e.load(r, "/sum/")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer e.columns.Unmap(c)
	fmt.Fprintf(w, "%d by plan %d\n", c.Sum(), p.kind)
}

// top finds the largest rows; a column of even plans is known to be in order.
func (e *Engine) top(w http.ResponseWriter, r *http.Request) {
	c, p, err := e.load(r, "/top/")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if p.kind%2 == 0 {
		fmt.Fprintf(w, "%d\n", c.bytes[len(c.bytes)-1])
		return
	}
	largest := byte(0)
	for _, b := range c.bytes {
		if b > largest {
			largest = b
		}
	}
	e.columns.Unmap(c)
	fmt.Fprintf(w, "%d\n", largest)
}

// tidy resets the plans once in a while.
func (e *Engine) tidy(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(9 * time.Second):
		}
		e.mu.Lock()
		for _, p := range e.plans {
			for i := range p.steps {
				p.steps[i] /= 2
			}
		}
		e.mu.Unlock()
	}
}

// tableService stands in for the table store.
func tableService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(70 * time.Millisecond)
		w.Write([]byte(strings.Repeat(r.URL.Path+"|", 3000)))
	})
}
