package main

import (
	"context"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

// transfer is one file on its way in.
type transfer struct {
	name string
	data net.Listener
	zone *zone
}

func (t *transfer) addr() string { return t.data.Addr().String() }

// zone opens data ports and waits for the files.
type zone struct {
	patience time.Duration
	store    func(name string, size int64)

	mu        sync.Mutex
	transfers map[string]*transfer
}

func newZone(patience time.Duration) *zone {
	return &zone{patience: patience, transfers: make(map[string]*transfer)}
}

func (z *zone) open(name string) (*transfer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &transfer{name: name, data: ln, zone: z}
	z.mu.Lock()
	z.transfers[name] = t
	z.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), z.patience)
	go t.watch(ctx)
	go t.receive(ctx, cancel)
	return t, nil
}

// watch gives the transfer up when its time is over.
func (t *transfer) watch(ctx context.Context) {
	<-ctx.Done()
	t.zone.mu.Lock()
	delete(t.zone.transfers, t.name)
	t.zone.mu.Unlock()
	if ctx.Err() == context.DeadlineExceeded {
		log.Printf("transfer %s: %v", t.name, ctx.Err())
	}
}

// receive takes the file from whoever connects.
func (t *transfer) receive(ctx context.Context, done context.CancelFunc) {
	defer done()
	size, err := t.take(ctx)
	if err != nil {
		log.Printf("transfer %s: %v", t.name, err)
		return
	}
	t.zone.store(t.name, size)
}

func (t *transfer) take(ctx context.Context) (int64, error) {
	conn, err := t.data.Accept()
	if err != nil {
		return 0, err
	}
	defer t.data.Close()
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end)
	}
	return io.Copy(io.Discard, conn)
}

func (z *zone) count() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return len(z.transfers)
}
