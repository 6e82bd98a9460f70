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

// A Press prints tables on paper; it starts with one roller and adds rollers while orders wait.
type Press struct {
	tables *Tables
	most   int
	orders chan int

	mu      sync.Mutex
	rollers int
	printed int
}

func newPress(tables *Tables, most int) *Press {
	return &Press{tables: tables, most: most, orders: make(chan int)}
}

func (p *Press) order(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/print/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case p.orders <- n:
	case <-time.After(5 * time.Millisecond):
		p.add()
		p.orders <- n
	}
	fmt.Fprintf(w, "table %d is printed\n", n)
}

func (p *Press) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rollers < p.most {
		p.rollers++
		go p.roll()
	}
}

func (p *Press) roll() {
	for n := range p.orders {
		out := render(p.tables.rows(n))
		time.Sleep(time.Duration(len(out)/1000) * time.Millisecond)
		p.mu.Lock()
		p.printed++
		p.mu.Unlock()
	}
}

// clean rests the press between shifts.
func (p *Press) clean(ctx context.Context) {
	tick := time.NewTicker(6 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.mu.Lock()
			p.printed = 0
			p.mu.Unlock()
		}
	}
}
