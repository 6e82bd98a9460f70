package main

import (
	"context"
	"hash/fnv"
	"log"
	"sync"
	"time"
)

// cabins answers from single-writer shards that are opened when they are first needed.
type cabins struct {
	mu     sync.Mutex
	shards []*shard
}

type count struct {
	flight string
	answer chan int
}

type shard struct {
	asks  chan count
	taken map[string]int
}

func newCabins(n int) *cabins {
	return &cabins{shards: make([]*shard, n)}
}

func (c *cabins) free(flight string) int {
	ask := count{flight: flight, answer: make(chan int, 1)}
	c.shardOf(flight).asks <- ask
	return 228 - <-ask.answer
}

func (c *cabins) shardOf(flight string) *shard {
	h := fnv.New32a()
	h.Write([]byte(flight))
	i := int(h.Sum32() % uint32(len(c.shards)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shards[i] == nil {
		s := &shard{asks: make(chan count, 8), taken: make(map[string]int)}
		go s.serve()
		c.shards[i] = s
	}
	return c.shards[i]
}

func (c *cabins) report(context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := 0
	for _, s := range c.shards {
		if s != nil {
			open++
		}
	}
	log.Printf("%d of %d shards open", open, len(c.shards))
}

func (s *shard) serve() {
	for ask := range s.asks {
		time.Sleep(time.Millisecond)
		if len(s.taken) < 512 {
			s.taken[ask.flight]++
		}
		ask.answer <- s.taken[ask.flight]
	}
}
