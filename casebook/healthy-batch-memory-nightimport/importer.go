package main

import (
	"context"
	"log"
	"sync/atomic"
	"time"
)

const (
	rowBytes = 8 << 10
	settle   = 5 * time.Second
)

type row struct {
	key   uint32
	cells []byte
}

type batch struct {
	megabytes int
	rows      []*row
}

// importer works batches off, one at a time; reading and checking are shared by some hands.
type importer struct {
	queue chan int
	parts chan part
	sum   int64
	done  int64
}

type part struct {
	first, count int
	rows         chan<- []*row
}

func newImporter(ctx context.Context, hands int) *importer {
	imp := &importer{queue: make(chan int, 4), parts: make(chan part)}
	for i := 0; i < hands; i++ {
		go imp.hand(ctx)
	}
	go imp.run(ctx)
	return imp
}

func (imp *importer) submit(megabytes int) {
	imp.queue <- megabytes
}

func (imp *importer) total() int64 {
	return atomic.LoadInt64(&imp.sum)
}

func (imp *importer) run(ctx context.Context) {
	for {
		select {
		case megabytes := <-imp.queue:
			b := &batch{megabytes: megabytes}
			imp.load(b)
			imp.settle(ctx, b)
		case <-ctx.Done():
			return
		}
	}
}

func (imp *importer) load(b *batch) {
	const chunk = 64
	want := b.megabytes << 20 / rowBytes
	got := make(chan []*row, 8)
	go func() {
		for first := 0; first < want; first += chunk {
			imp.parts <- part{first: first, count: chunk, rows: got}
		}
	}()
	for len(b.rows) < want {
		b.rows = append(b.rows, <-got...)
	}
}

func (imp *importer) hand(ctx context.Context) {
	for {
		select {
		case p := <-imp.parts:
			p.rows <- readRows(p.first, p.count)
		case <-ctx.Done():
			return
		}
	}
}

func readRows(first, count int) []*row {
	rows := make([]*row, 0, count)
	for i := 0; i < count; i++ {
		cells := make([]byte, rowBytes)
		for j := 0; j < len(cells); j += 512 {
			cells[j] = byte(first + i)
		}
		rows = append(rows, &row{key: uint32(first + i), cells: cells})
	}
	time.Sleep(2 * time.Millisecond)
	return rows
}

// settle adds the batch up and gives the other side some time to object.
func (imp *importer) settle(ctx context.Context, b *batch) {
	var sum int64
	for _, r := range b.rows {
		sum += int64(r.cells[0]) + int64(r.key%7)
	}
	objection := time.NewTimer(settle)
	defer objection.Stop()
	select {
	case <-objection.C:
	case <-ctx.Done():
		return
	}
	atomic.AddInt64(&imp.sum, sum)
	atomic.AddInt64(&imp.done, 1)
	log.Printf("%d rows settled", len(b.rows))
}
