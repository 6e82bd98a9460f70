package main

import (
	"context"
	"sync/atomic"
	"time"
)

// Charts draws charts on painters, which are kept for the next chart.
type Charts struct {
	jobs     chan chart
	most     int32
	painters int32
}

type chart struct {
	paper int
	done  chan []byte
}

// NewCharts allows so many painters.
func NewCharts(most int) *Charts { return &Charts{jobs: make(chan chart), most: int32(most)} }

// Painters is how many there are.
func (c *Charts) Painters() float64 { return float64(atomic.LoadInt32(&c.painters)) }

// Draw returns the picture of a paper.
func (c *Charts) Draw(ctx context.Context, paper int) []byte {
	if atomic.LoadInt32(&c.painters) < c.most {
		atomic.AddInt32(&c.painters, 1)
		go c.paint()
	}
	job := chart{paper, make(chan []byte, 1)}
	select {
	case c.jobs <- job:
		return <-job.done
	case <-ctx.Done():
		return nil
	}
}

func (c *Charts) paint() {
	palette := time.NewTicker(8 * time.Second)
	defer palette.Stop()
	for {
		select {
		case job := <-c.jobs:
			job.done <- make([]byte, 20<<10)
		case <-palette.C:
		}
	}
}
