// Command gatelanes lets trucks through the gates of a container terminal.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "gatelanes", RouteLimit: 5 * time.Second})
	weigh, err := gangway.StartNeighbour(http.HandlerFunc(weighbridge), 12)
	if err != nil {
		log.Fatal(err)
	}
	g := newGate(72)
	yard := &yard{weigh: weigh, gate: g}
	go gangway.Every(svc.Context(), 4*time.Second, g.sweep)

	svc.HandleFunc("/trucks/", yard.truck)
	svc.HandleFunc("/wide/", yard.wide)
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

type yard struct {
	weigh *gangway.Neighbour
	gate  *gate
}

func (y *yard) truck(w http.ResponseWriter, r *http.Request) {
	plate := strings.TrimPrefix(r.URL.Path, "/trucks/")
	if _, err := y.weigh.Get(r.Context(), "/weight/"+plate); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if err := y.gate.pass(r.Context(), plate); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "passed")
}

func (y *yard) wide(w http.ResponseWriter, r *http.Request) {
	plate := strings.TrimPrefix(r.URL.Path, "/wide/")
	if err := y.gate.escort(r.Context(), plate); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "escorted")
}

func weighbridge(w http.ResponseWriter, r *http.Request) {
	time.Sleep(40 * time.Millisecond)
	fmt.Fprintln(w, 23400)
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
