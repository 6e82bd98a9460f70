package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/driftwood/flightgate"
)

// Atlas draws sheets when they are asked for and keeps them for a few seconds.
type Atlas struct {
	drawing flightgate.Group
	layers  map[int]*layer

	mu    sync.Mutex
	kept  map[int][]byte
	until map[int]time.Time
}

type layer struct {
	names []string
}

// NewAtlas returns an atlas; one sheet has no layer of names, since nobody lives there.
func NewAtlas() *Atlas {
	a := &Atlas{layers: make(map[int]*layer), kept: make(map[int][]byte), until: make(map[int]time.Time)}
	for n := 0; n < 50; n++ {
		if n != 37 {
			a.layers[n] = &layer{names: []string{fmt.Sprintf("village %d", n), fmt.Sprintf("brook %d", n)}}
		}
	}
	return a
}

// Sheet returns a sheet, drawn once for all who ask at the same time.
func (a *Atlas) Sheet(ctx context.Context, n int) ([]byte, error) {
	if sheet := a.recent(n); sheet != nil {
		return sheet, nil
	}
	value, err, _ := a.drawing.Do(fmt.Sprint("sheet ", n), func() (interface{}, error) {
		return a.draw(ctx, n)
	})
	if err != nil {
		return nil, err
	}
	return value.([]byte), nil
}

func (a *Atlas) recent(n int) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Now().After(a.until[n]) {
		return nil
	}
	return a.kept[n]
}

func (a *Atlas) draw(ctx context.Context, n int) ([]byte, error) {
	time.Sleep(60 * time.Millisecond)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sheet := []byte(strings.Repeat("contour ", 2000) + strings.Join(a.layers[n].names, ", "))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept[n], a.until[n] = sheet, time.Now().Add(3*time.Second)
	return sheet, nil
}

// Legend prints the legend anew.
func (a *Atlas) Legend() int { return len(strings.Repeat("symbol ", 180<<10)) }

// Prefetch draws the sheets around one that was asked for, with workers that stay.
type Prefetch struct {
	atlas *Atlas
	most  int32
	size  int32
	near  chan int
}

// NewPrefetch allows so many workers.
func NewPrefetch(a *Atlas, most int) *Prefetch {
	return &Prefetch{atlas: a, most: int32(most), near: make(chan int, 16)}
}

// Size is how many workers there are.
func (p *Prefetch) Size() float64 { return float64(atomic.LoadInt32(&p.size)) }

// Near draws what is around a sheet.
func (p *Prefetch) Near(n int) {
	if atomic.LoadInt32(&p.size) < p.most {
		atomic.AddInt32(&p.size, 1)
		go p.work()
	}
	select {
	case p.near <- n + 1:
	default:
	}
}

func (p *Prefetch) work() {
	idle := time.NewTicker(10 * time.Second)
	defer idle.Stop()
	for {
		select {
		case n := <-p.near:
			if n%50 < 30 {
				_, _ = p.atlas.Sheet(context.Background(), n%50)
			}
		case <-idle.C:
		}
	}
}
