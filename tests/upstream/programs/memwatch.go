package main // A watch set that one channel has woken leaves the goroutines that wait for the others, until the context ends.

import (
	"context"
	"time"

	memdb "github.com/hashicorp/go-memdb"
)

const batch = 1

var every = 100 * time.Millisecond
var service = context.Background()
var shelves []chan struct{}

func setup() {
	var cancel func()
	service, cancel = context.WithCancel(context.Background())
	_ = cancel
	for i := 0; i < 100; i++ {
		shelves = append(shelves, make(chan struct{}))
	}
}

func serve(n int) {
	ws := memdb.NewWatchSet()
	for _, s := range shelves {
		ws.Add(s)
	}
	now := make(chan struct{})
	ws.Add(now)
	ctx := service
	if mode == "healthy" {
		var cancel func()
		ctx, cancel = context.WithTimeout(service, 5*time.Second)
		defer cancel()
	}
	time.AfterFunc(20*time.Millisecond, func() { close(now) })
	_ = ws.WatchCtx(ctx)
}
