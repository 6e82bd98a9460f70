package main

import (
	"bufio"
	"fmt"
	"net"
	"time"
)

// source is the provider's end of the feeds.
type source struct {
	ln net.Listener
}

func startSource() (*source, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &source{ln: ln}
	go s.accept()
	return s, nil
}

func (s *source) addr() string { return s.ln.Addr().String() }

func (s *source) accept() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return
		}
		go s.tell(conn)
	}
}

func (s *source) tell(conn net.Conn) {
	defer conn.Close()
	name, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	for n := 0; ; n++ {
		if _, err := fmt.Fprintf(conn, "%d %s", n, name); err != nil {
			return
		}
		time.Sleep(25 * time.Second)
	}
}
