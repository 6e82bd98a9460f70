package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"example.org/quarry/portico"
)

// Sites are the gateways in the field; each keeps a TCP session open and reports every few seconds that it lives.
type Sites struct {
	most int
	addr string

	mu   sync.Mutex
	open int
}

// ListenSites accepts at most so many sessions.
func ListenSites(most int) (*Sites, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Sites{most: most, addr: ln.Addr().String()}
	go s.accept(ln)
	return s, nil
}

// Open is the number of sessions.
func (s *Sites) Open() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.open)
}

func (s *Sites) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go s.session(conn)
	}
}

func (s *Sites) session(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewScanner(conn)
	for in.Scan() {
		if _, err := fmt.Fprintf(conn, "ack %s\n", in.Text()); err != nil {
			return
		}
	}
}

// Connect lets the gateway of a site in; the gateways of the test field live in this process.
func (s *Sites) Connect(site int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.most {
		return portico.Refusal{Status: http.StatusConflict, Reason: "all sites are connected"}
	}
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		return err
	}
	s.open++
	go beat(conn, site)
	return nil
}

func beat(conn net.Conn, site int) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		if _, err := fmt.Fprintf(conn, "alive %d\n", site); err != nil {
			return
		}
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		time.Sleep(time.Duration(4+site%5) * time.Second)
	}
}
