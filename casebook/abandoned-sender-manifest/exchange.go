package main

import (
	"bufio"
	"fmt"
	"net"
)

// Exchange is the line over which terminals hear of filed manifests.
type Exchange struct {
	ln net.Listener
}

// OpenExchange listens for terminals.
func OpenExchange() (*Exchange, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	x := &Exchange{ln: ln}
	go x.accept()
	return x, nil
}

// Connect opens the line of one berth.
func (x *Exchange) Connect(berth int) error {
	conn, err := net.Dial("tcp", x.ln.Addr().String())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "BERTH %d\n", berth); err != nil {
		return err
	}
	go listenAtBerth(conn)
	return nil
}

func (x *Exchange) accept() {
	for {
		conn, err := x.ln.Accept()
		if err != nil {
			return
		}
		go x.terminal(conn)
	}
}

func (x *Exchange) terminal(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if _, err := fmt.Fprintf(conn, "OK %s\n", lines.Text()); err != nil {
			return
		}
	}
}

func listenAtBerth(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		_ = lines.Text()
	}
}
