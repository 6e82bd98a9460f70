package main

import (
	"bufio"
	"context"
	"log"
	"net"
	"sync"
)

// consoleLine keeps the consoles of the harbour office connected; they speak only when somebody presses a key.
type consoleLine struct {
	mu    sync.Mutex
	peers map[net.Conn]bool
	desks []net.Conn
}

func newConsoleLine(desks int) (*consoleLine, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &consoleLine{peers: make(map[net.Conn]bool)}
	go l.accept(ln)
	for i := 0; i < desks; i++ {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			return nil, err
		}
		l.desks = append(l.desks, conn)
	}
	return l, nil
}

func (l *consoleLine) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		l.peers[conn] = true
		l.mu.Unlock()
		go l.listen(conn)
	}
}

func (l *consoleLine) listen(conn net.Conn) {
	keys := bufio.NewReader(conn)
	for {
		line, err := keys.ReadString('\n')
		if err != nil {
			break
		}
		log.Printf("console %s: %s", conn.RemoteAddr(), line)
	}
	l.mu.Lock()
	delete(l.peers, conn)
	l.mu.Unlock()
	conn.Close()
}

func (l *consoleLine) count(context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log.Printf("%d consoles", len(l.peers))
}
