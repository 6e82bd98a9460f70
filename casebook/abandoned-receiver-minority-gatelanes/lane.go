package main

import (
	"context"
	"time"
)

type truck struct {
	plate string
	done  chan struct{}
}

// lane works off its trucks one at a time until its channel is closed.
type lane struct {
	gate   *gate
	trucks chan truck
}

func (l *lane) send(ctx context.Context, plate string) error {
	t := truck{plate: plate, done: make(chan struct{})}
	select {
	case l.trucks <- t:
	case <-ctx.Done():
		return ctx.Err()
	}
	return await(ctx, t.done)
}

func (l *lane) work() {
	for t := range l.trucks {
		l.inspect(t)
		close(t.done)
	}
}

func (l *lane) inspect(t truck) {
	time.Sleep(25 * time.Millisecond)
	l.gate.log(t.plate)
}
