package main

import (
	"context"
	"sync"
	"time"
)

const maxOffices = 26

// offices are opened as ships come in and stay open.
type offices struct {
	ctx context.Context

	mu    sync.Mutex
	calls int
	open  []*office
}

type office struct {
	number int
	desk   chan string

	mu     sync.Mutex
	recent []string
}

func newOffices(ctx context.Context) *offices {
	return &offices{ctx: ctx}
}

func (o *offices) of(ship string) *office {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if len(o.open) < maxOffices && o.calls%6 == 1 {
		one := &office{number: len(o.open) + 1, desk: make(chan string, 4)}
		go one.clerk()
		go one.archive(o.ctx)
		o.open = append(o.open, one)
	}
	return o.open[o.calls%len(o.open)]
}

func (o *office) tell(entry string) {
	o.desk <- entry
}

func (o *office) clerk() {
	for entry := range o.desk {
		o.mu.Lock()
		o.recent = append(o.recent, entry)
		o.mu.Unlock()
	}
}

func (o *office) archive(ctx context.Context) {
	t := time.NewTicker(40 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			o.mu.Lock()
			o.recent = nil
			o.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}
