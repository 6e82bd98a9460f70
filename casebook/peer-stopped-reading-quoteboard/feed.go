package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

// Quote is a price of a paper.
type Quote struct {
	Paper int    `json:"paper"`
	Cents int    `json:"cents"`
	Depth string `json:"depth"`
}

// Feed sends every quote to every board, in the same order to all of them.
type Feed struct {
	size int32

	mu     sync.Mutex
	boards map[*board]struct{}
	last   map[int]Quote
}

type board struct {
	conn net.Conn
	out  *bufio.Writer
}

// NewFeed returns a feed without boards.
func NewFeed() *Feed { return &Feed{boards: make(map[*board]struct{}), last: make(map[int]Quote)} }

// Boards is how many are connected.
func (f *Feed) Boards() float64 { return float64(atomic.LoadInt32(&f.size)) }

// Publish sends a quote.
func (f *Feed) Publish(q Quote) {
	q.Depth = strings.Repeat("1000@99.5 ", 180)
	data, err := json.Marshal(q)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last[q.Paper] = q
	for b := range f.boards {
		if err := b.send(data); err != nil {
			log.Printf("board %s: %v", b.conn.RemoteAddr(), err)
			f.drop(b)
		}
	}
}

func (b *board) send(data []byte) error {
	if _, err := b.out.Write(data); err != nil {
		return err
	}
	return b.out.Flush()
}

func (f *Feed) drop(b *board) {
	delete(f.boards, b)
	atomic.AddInt32(&f.size, -1)
	_ = b.conn.Close()
}

func (f *Feed) accept(ctx context.Context, ln net.Listener) {
	go func() {
		<-ctx.Done()
		_ = ln.Close()
	}()
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(32 << 10)
		}
		go f.serve(&board{conn: conn, out: bufio.NewWriterSize(conn, 4<<10)})
	}
}

// serve takes a board on and listens to the buttons pressed on it.
func (f *Feed) serve(b *board) {
	f.mu.Lock()
	f.boards[b] = struct{}{}
	f.mu.Unlock()
	atomic.AddInt32(&f.size, 1)
	in := bufio.NewScanner(b.conn)
	for in.Scan() {
		log.Printf("board %s pressed %q", b.conn.RemoteAddr(), in.Text())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(b)
}
