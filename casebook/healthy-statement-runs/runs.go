package main

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// press renders statements, so many at once.
type press struct {
	slots chan struct{}
	pace  time.Duration
}

func (p *press) render(name string) []byte {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	page := make([]byte, 40<<10)
	copy(page, name)
	time.Sleep(p.pace)
	return page
}

// runs makes the statements of all customers of a branch.
type runs struct {
	press   *press
	archive *archive
}

func (r *runs) do(branch string, customers int) {
	begun := time.Now()
	var all sync.WaitGroup
	for i := 0; i < customers; i++ {
		all.Add(1)
		go func(customer int) {
			defer all.Done()
			name := fmt.Sprintf("%s-%03d", branch, customer)
			r.archive.put(name, r.press.render(name))
		}(i)
	}
	all.Wait()
	log.Printf("run %s: %d statements in %s", branch, customers, time.Since(begun).Round(time.Millisecond))
}
