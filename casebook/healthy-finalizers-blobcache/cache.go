package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Handle is a reader's view of a blob, with a copy of it that the reader may change.
type Handle struct {
	cache *Cache
	blob  int
	data  []byte
}

// A Cache has the blobs and counts their handles.
type Cache struct {
	blobs   [][]byte
	handles int64
	closed  chan int

	mu   sync.Mutex
	uses map[int]int
}

// NewCache has n blobs.
func NewCache(n int) *Cache {
	c := &Cache{closed: make(chan int, 32), uses: make(map[int]int)}
	for i := 0; i < n; i++ {
		c.blobs = append(c.blobs, makeBlob(i))
	}
	return c
}

func makeBlob(number int) []byte {
	b := make([]byte, 64<<10)
	for i := range b {
		b[i] = byte(number + i)
	}
	return b
}

func (c *Cache) lent() float64 {
	return float64(atomic.LoadInt64(&c.handles))
}

// Open lends a blob; the handle is closed when nobody refers to it any more.
func (c *Cache) Open(number int) *Handle {
	h := &Handle{cache: c, blob: number % len(c.blobs), data: make([]byte, 64<<10)}
	copy(h.data, c.blobs[h.blob])
	atomic.AddInt64(&c.handles, 1)
	runtime.SetFinalizer(h, (*Handle).close)
	return h
}

// close is quick: the accounting is left to somebody else.
func (h *Handle) close() {
	atomic.AddInt64(&h.cache.handles, -1)
	h.cache.closed <- h.blob
}

// account counts the handles that were closed.
func (c *Cache) account(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case blob := <-c.closed:
			time.Sleep(time.Millisecond)
			c.mu.Lock()
			c.uses[blob]++
			c.mu.Unlock()
		}
	}
}
