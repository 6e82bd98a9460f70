package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"log"
	"sync"
	"time"
)

// Books keeps each ledger behind its own writer.
type Books struct {
	ledgers []chan string
}

// OpenBooks opens that many ledgers, with five writers each.
func OpenBooks(ledgers int) *Books {
	b := &Books{}
	for i := 0; i < ledgers; i++ {
		l := make(chan string, 4)
		b.ledgers = append(b.ledgers, l)
		for w := 0; w < 5; w++ {
			go write(l)
		}
	}
	return b
}

// Enter books an order.
func (b *Books) Enter(order Order, receipt string) {
	at := crc32.ChecksumIEEE([]byte(order.Account)) % uint32(len(b.ledgers))
	b.ledgers[at] <- fmt.Sprintf("%s %d %s", order.Account, order.Cents, receipt)
}

func write(lines <-chan string) {
	page := make([]string, 0, 64)
	for {
		line, ok := <-lines
		if !ok {
			return
		}
		if page = append(page, line); len(page) == cap(page) {
			page = page[:0]
		}
	}
}

// Audit keeps notes until they are flushed.
type Audit struct {
	mu    sync.Mutex
	notes map[string]int
}

// NewAudit returns an empty one.
func NewAudit() *Audit { return &Audit{notes: make(map[string]int)} }

// Note counts what happened to an order.
func (a *Audit) Note(what string, _ Order) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes[what]++
}

// Flush logs the notes from time to time.
func (a *Audit) Flush(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(10 * time.Second)
		a.mu.Lock()
		log.Printf("audit: %v", a.notes)
		a.mu.Unlock()
	}
}
