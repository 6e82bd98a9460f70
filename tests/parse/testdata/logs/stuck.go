// Stuck starts goroutines that wait in different ways and writes them down after a minute, as /debug/pprof/goroutine
// ?debug=2 would. plain.txt beside it is what it printed:
//
//	mkdir -p /src/stuck && cp stuck.go /src/stuck/main.go && cd /src/stuck && go mod init example.com/stuck
//	go run . >plain.txt
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type store[K comparable] struct {
	mu   sync.Mutex
	rows sync.RWMutex
	wake *sync.Cond
	seen map[K]int
}

func (s *store[K]) get(key K) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[key]
}

func (s *store[K]) read(key K) int {
	s.rows.RLock()
	defer s.rows.RUnlock()
	return s.seen[key]
}

func (s *store[K]) wait() {
	s.mu.Lock()
	s.wake.Wait()
}

func send(to chan<- string, what string) { to <- what }

func receive(from <-chan string) {
	for range from {
	}
}

func either(a, b <-chan string, stop <-chan struct{}) {
	select {
	case <-a:
	case <-b:
	case <-stop:
	}
}

func accept(on net.Listener) {
	for {
		if _, err := on.Accept(); err != nil {
			return
		}
	}
}

func main() {
	shop := &store[string]{seen: map[string]int{}}
	shop.wake = sync.NewCond(&sync.Mutex{})
	shop.mu.Lock()
	shop.rows.Lock()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var group sync.WaitGroup
	group.Add(1)
	orders, bills := make(chan string), make(chan string)
	for range 3 {
		go send(orders, "order")
	}
	go receive(bills)
	go either(bills, nil, make(chan struct{}))
	go func() { select {} }()
	go accept(on)
	go shop.get("a")
	go shop.read("b")
	go func() {
		shop.wake.L.Lock()
		shop.wake.Wait()
	}()
	go group.Wait()
	go func() {
		runtime.LockOSThread()
		time.Sleep(time.Hour)
	}()
	for range 4 { // a collection stamps how long they wait
		time.Sleep(31 * time.Second)
		runtime.GC()
	}
	if err := pprof.Lookup("goroutine").WriteTo(os.Stdout, 2); err != nil {
		panic(err)
	}
}
