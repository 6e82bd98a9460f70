// Command hookrelay delivers events to the web hooks of customers.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	hooks := flag.String("hooks", "http://127.0.0.1:8090", "base address of hooks and directory")
	app := lattice.New("hookrelay")
	flag.Parse()

	relay := NewRelay(*hooks, 8)
	directory := NewDirectory(*hooks)
	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(2*time.Second))
	app.Route("/events/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		relay.Enqueue(Event{ID: path.Base(r.URL.Path), Body: append(body, make([]byte, 8<<10)...)})
		w.WriteHeader(http.StatusAccepted)
	})
	app.Route("/customers/", func(w http.ResponseWriter, r *http.Request) {
		name, err := directory.Name(r.Context(), path.Base(r.URL.Path))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, name)
	})
	app.Background("relay", relay.Run)
	app.Stats.Gauge("hookrelay_failed", relay.Failed)
	app.Run()
}
