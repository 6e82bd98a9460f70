// Command crewcast tells the crew what the bridge wants.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "crewcast"})
	roster := defaultRoster()
	ex := NewExchange(roster)
	go ex.Route()

	pagers := make([]*Pager, 0, 30)
	for i := 0; i < 30; i++ {
		p := &Pager{wake: make(chan struct{}, 1), done: svc.Context().Done()}
		go p.Loop()
		pagers = append(pagers, p)
	}

	svc.HandleFunc("/announce/", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n := ex.Announce(strings.TrimPrefix(r.URL.Path, "/announce/"), string(text))
		pagers[n%len(pagers)].Ring()
		fmt.Fprintf(w, "told %d\n", n)
	})
	svc.HandleFunc("/drill", func(w http.ResponseWriter, r *http.Request) {
		ex.Drill()
		w.WriteHeader(http.StatusAccepted)
	})
	svc.HandleFunc("/roster", func(w http.ResponseWriter, r *http.Request) {
		for _, m := range roster {
			fmt.Fprintln(w, m.Name, m.Watch)
		}
	})
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

// Pager blinks a little when it is rung.
type Pager struct {
	wake  chan struct{}
	done  <-chan struct{}
	blink int
}

// Ring never waits.
func (p *Pager) Ring() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Loop runs until the service ends.
func (p *Pager) Loop() {
	for {
		select {
		case <-p.wake:
			for i := 0; i < 3; i++ {
				p.blink++
				time.Sleep(50 * time.Millisecond)
			}
		case <-p.done:
			return
		}
	}
}
