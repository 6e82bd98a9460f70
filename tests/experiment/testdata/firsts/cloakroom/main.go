// Cloakroom keeps a coat until it is fetched or its time is up; each has a timer, each counter a clerk since its first coat.
package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/firsts/serve"
)

const keeps = 2500 * time.Millisecond

type coat struct {
	pockets []byte
	timer   *time.Timer
}

type counter struct {
	once  sync.Once
	tasks chan func()
	coats map[string]*coat
}

func (c *counter) do(task func()) {
	c.once.Do(func() {
		c.tasks, c.coats = make(chan func(), 16), map[string]*coat{}
		go func() {
			for task := range c.tasks {
				task()
			}
		}()
	})
	done := make(chan struct{})
	c.tasks <- func() { task(); close(done) }
	<-done
}

func (c *counter) keep(ticket string) {
	c.do(func() {
		if old, ok := c.coats[ticket]; ok {
			old.timer.Stop()
		}
		timer := time.AfterFunc(keeps, func() { c.fetch(ticket) })
		c.coats[ticket] = &coat{make([]byte, 16<<10), timer}
	})
}

func (c *counter) fetch(ticket string) (found bool) {
	c.do(func() {
		if one, ok := c.coats[ticket]; ok {
			one.timer.Stop()
			delete(c.coats, ticket)
			found = true
		}
	})
	return found
}

func main() {
	var counters [8]counter
	of := func(r *http.Request) (*counter, string) {
		ticket := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		return &counters[len(ticket)%len(counters)], ticket
	}
	http.HandleFunc("/keep/", func(w http.ResponseWriter, r *http.Request) {
		c, ticket := of(r)
		c.keep(ticket)
		fmt.Fprintln(w, "kept")
	})
	http.HandleFunc("/fetch/", func(w http.ResponseWriter, r *http.Request) {
		c, ticket := of(r)
		fmt.Fprintln(w, c.fetch(ticket))
	})
	serve.Run()
}
