package main

import (
	"hash/crc32"
	"sync"
	"time"
)

// meters count usage in cells, each owned by one goroutine.
type meters struct {
	cells []*cell
}

type cell struct {
	mu     sync.Mutex
	counts map[string]int
	in     chan string
}

func openMeters(n int) *meters {
	m := &meters{}
	for i := 0; i < n; i++ {
		c := &cell{counts: make(map[string]int), in: make(chan string, 16)}
		m.cells = append(m.cells, c)
		go c.run()
		if i%2 == 0 {
			go c.decay(time.Duration(3000+20*i) * time.Millisecond)
		}
	}
	return m
}

func (m *meters) cell(account string) *cell {
	return m.cells[crc32.ChecksumIEEE([]byte(account))%uint32(len(m.cells))]
}

func (m *meters) add(account string, n int) {
	for i := 0; i < n; i++ {
		m.cell(account).in <- account
	}
}

func (m *meters) used(account string) int {
	c := m.cell(account)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[account]
}

func (c *cell) run() {
	for account := range c.in {
		c.mu.Lock()
		if len(c.counts) > 50 {
			c.counts = make(map[string]int)
		}
		c.counts[account]++
		c.mu.Unlock()
	}
}

// decay forgets old usage little by little.
func (c *cell) decay(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for range ticker.C {
		c.mu.Lock()
		for account, n := range c.counts {
			c.counts[account] = n / 2
		}
		c.mu.Unlock()
	}
}
