package main

import (
	"bufio"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// Terminals are the card readers that stay connected.
type Terminals struct {
	desk  *Desk
	count int64
}

// listenTerminals accepts card readers, and connects the given number of them in the same building.
func listenTerminals(desk *Desk, local int) (*Terminals, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Terminals{desk: desk}
	go t.accept(listener)
	for i := 0; i < local; i++ {
		go t.reader(listener.Addr().String(), i)
	}
	return t, nil
}

func (t *Terminals) connected() int64 {
	return atomic.LoadInt64(&t.count)
}

func (t *Terminals) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go t.attend(conn)
	}
}

func (t *Terminals) attend(conn net.Conn) {
	atomic.AddInt64(&t.count, 1)
	defer atomic.AddInt64(&t.count, -1)
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		t.desk.book.Note("terminal " + lines.Text())
		fmt.Fprintln(conn, "ok")
	}
}

func (t *Terminals) reader(address string, number int) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		fmt.Fprintf(conn, "%d ready\n", number)
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		time.Sleep(20*time.Second + time.Duration(number)*time.Second)
	}
}
