package main

import (
	"context"
	"sync"
	"time"
)

// crews rest until they are called out.
type crews struct {
	mu    sync.Mutex
	calls []*sync.Cond
	out   int
}

func newCrews(n, size int) *crews {
	c := &crews{}
	for i := 0; i < n; i++ {
		call := sync.NewCond(&c.mu)
		c.calls = append(c.calls, call)
		for j := 0; j < size; j++ {
			go c.stand(call)
		}
	}
	return c
}

func (c *crews) stand(call *sync.Cond) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		call.Wait()
		c.out++
	}
}

func (c *crews) dispatch(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		time.Sleep(11 * time.Second)
		c.calls[i%len(c.calls)].Signal()
	}
}
