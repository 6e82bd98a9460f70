package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/meridian/gangway"
)

type chart struct {
	id     int
	sheets sync.WaitGroup
	mu     sync.Mutex
	inked  int
}

// press has a few plates; every sheet that is to be drawn waits for one.
type press struct {
	depths   *gangway.Neighbour
	plates   chan struct{}
	finished chan *chart

	mu    sync.Mutex
	last  int
	shelf map[int]int
}

func newPress(depths *gangway.Neighbour, plates int) *press {
	return &press{
		depths:   depths,
		plates:   make(chan struct{}, plates),
		finished: make(chan *chart),
		shelf:    make(map[int]int),
	}
}

func (p *press) order(sheets int) int {
	p.mu.Lock()
	p.last++
	c := &chart{id: p.last}
	p.mu.Unlock()

	c.sheets.Add(sheets)
	for n := 0; n < sheets; n++ {
		go p.sheet(c, n)
	}
	go p.bind(c)
	return c.id
}

func (p *press) sheet(c *chart, n int) {
	defer c.sheets.Done()
	p.acquire()
	defer p.release()
	p.draw(c, n)
}

func (p *press) acquire() {
	p.plates <- struct{}{}
}

func (p *press) release() {
	<-p.plates
}

func (p *press) draw(c *chart, n int) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	raster, err := p.depths.Get(ctx, fmt.Sprintf("/grid/%d/%d", c.id, n))
	if err != nil {
		return
	}
	time.Sleep(280 * time.Millisecond)
	c.mu.Lock()
	c.inked += len(raster)
	c.mu.Unlock()
}

// bind hands the chart over once all of its sheets are there.
func (p *press) bind(c *chart) {
	c.sheets.Wait()
	p.finished <- c
}

func (p *press) index(ctx context.Context) {
	for {
		select {
		case c := <-p.finished:
			p.mu.Lock()
			p.shelf[c.id] = c.inked
			delete(p.shelf, c.id-40)
			p.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (p *press) drawn() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.shelf)
}
