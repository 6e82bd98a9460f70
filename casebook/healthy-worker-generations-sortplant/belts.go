package main

import (
	"net"
	"sync"
)

// belts are driven by controllers that keep a line open and report only faults.
type belts struct {
	mu    sync.Mutex
	lines []net.Conn
	on    int
}

func newBelts(n int) (*belts, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &belts{}
	go b.accept(ln)
	for i := 0; i < n; i++ {
		line, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			return nil, err
		}
		b.lines = append(b.lines, line)
	}
	return b, nil
}

func (b *belts) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		b.add(1)
		go b.supervise(conn)
	}
}

func (b *belts) supervise(conn net.Conn) {
	defer b.add(-1)
	defer conn.Close()
	report := make([]byte, 64)
	for {
		if _, err := conn.Read(report); err != nil {
			return
		}
	}
}

func (b *belts) add(n int) {
	b.mu.Lock()
	b.on += n
	b.mu.Unlock()
}

func (b *belts) running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.on
}
