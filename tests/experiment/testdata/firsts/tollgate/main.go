// Tollgate counts cars of each plate in a goroutine of its own, which ends when the plate has not come for a while.
package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/firsts/serve"
)

const forgotten = 1200 * time.Millisecond

type car struct {
	asked chan chan int
}

type gate struct {
	mu   sync.Mutex
	cars map[string]*car
}

func (g *gate) pass(plate string) int {
	for {
		g.mu.Lock()
		c, ok := g.cars[plate]
		if !ok {
			c = &car{asked: make(chan chan int)}
			g.cars[plate] = c
			go g.follow(plate, c)
		}
		g.mu.Unlock()
		answer := make(chan int, 1)
		select {
		case c.asked <- answer:
			return <-answer
		case <-time.After(forgotten / 10): // it was being forgotten
		}
	}
}

func (g *gate) follow(plate string, c *car) {
	passed := 0
	for {
		select {
		case answer := <-c.asked:
			passed++
			answer <- passed
		case <-time.After(forgotten):
			g.mu.Lock()
			delete(g.cars, plate)
			g.mu.Unlock()
			return
		}
	}
}

func main() {
	g := &gate{cars: map[string]*car{}}
	http.HandleFunc("/pass/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, g.pass(strings.TrimPrefix(r.URL.Path, "/pass/")))
	})
	serve.Run()
}
