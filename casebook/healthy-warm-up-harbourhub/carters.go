package main

import (
	"context"
	"sync/atomic"
	"time"
)

// carters carry tasks out. While tasks keep coming there are more of them from time to time, up to a number.
type carters struct {
	ctx   context.Context
	max   int32
	count int32
	seen  int64
	last  int64
	loads chan func()
}

func newCarters(ctx context.Context, few, max int) *carters {
	c := &carters{ctx: ctx, max: int32(max), loads: make(chan func(), 64)}
	c.add(few)
	return c
}

func (c *carters) add(n int) {
	for i := 0; i < n && atomic.LoadInt32(&c.count) < c.max; i++ {
		atomic.AddInt32(&c.count, 1)
		go c.carry()
	}
}

func (c *carters) cart(task func()) {
	atomic.AddInt64(&c.seen, 1)
	c.loads <- task
}

func (c *carters) scale(context.Context) {
	seen := atomic.LoadInt64(&c.seen)
	if seen-c.last > 5 {
		c.add(3)
	}
	c.last = seen
}

func (c *carters) carry() {
	for {
		select {
		case task := <-c.loads:
			task()
			time.Sleep(10 * time.Millisecond)
		case <-c.ctx.Done():
			return
		}
	}
}
