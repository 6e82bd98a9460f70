// Switchboard puts calls through to an exchange over TCP: a connection for each call, and a few long ones for orders.
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/firsts/serve"
)

func exchange() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					fmt.Fprintf(conn, "heard %s\n", lines.Text())
				}
			}()
		}
	}()
	return listener.Addr().String()
}

type trunk struct {
	once  sync.Once
	calls chan call
}

type call struct {
	said   string
	answer chan string
}

func (t *trunk) say(address, said string) string {
	t.once.Do(func() {
		t.calls = make(chan call)
		go t.carry(address)
	})
	answer := make(chan string, 1)
	t.calls <- call{said, answer}
	return <-answer
}

func (t *trunk) carry(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(conn)
	for one := range t.calls {
		fmt.Fprintln(conn, one.said)
		lines.Scan()
		one.answer <- lines.Text()
	}
}

func main() {
	address := exchange()
	var trunks [6]trunk
	var next int
	var mu sync.Mutex
	http.HandleFunc("/calls", func(w http.ResponseWriter, r *http.Request) {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer conn.Close()
		fmt.Fprintln(conn, r.URL.RawQuery)
		line, _ := bufio.NewReader(conn).ReadString('\n')
		fmt.Fprint(w, line)
	})
	http.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		next = (next + 1) % len(trunks)
		mine := &trunks[next]
		mu.Unlock()
		fmt.Fprintln(w, mine.say(address, r.URL.RawQuery))
	})
	serve.Run()
}
