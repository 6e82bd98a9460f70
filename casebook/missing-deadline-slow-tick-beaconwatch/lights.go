package main

import (
	"bufio"
	"fmt"
	"net"
	"sync"
)

// gateway speaks for the controller of one light. With its radio line down it still takes calls.
type gateway struct {
	name string
	down bool

	mu    sync.Mutex
	calls []net.Conn
}

// lightUp starts a gateway for each name and returns their addresses.
func lightUp(names []string, down string) (map[string]string, error) {
	coast := make(map[string]string)
	for _, name := range names {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		g := &gateway{name: name, down: name == down}
		go g.serve(ln)
		coast[name] = ln.Addr().String()
	}
	return coast, nil
}

func (g *gateway) serve(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		if g.down {
			g.mu.Lock()
			g.calls = append(g.calls, conn)
			g.mu.Unlock()
			continue
		}
		go g.answer(conn)
	}
}

func (g *gateway) answer(conn net.Conn) {
	defer conn.Close()
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		return
	}
	fmt.Fprintf(conn, "%s burning, 13.1 V\r\n", g.name)
}
