// Command seatmap shows free seats and moves passengers between them.
package main

import (
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "seatmap", AccessLog: true})
	plans, err := gangway.StartNeighbour(http.HandlerFunc(planPage), 64)
	if err != nil {
		log.Fatal(err)
	}
	api := &api{
		plans:    plans,
		cabins:   newCabins(48),
		ahead:    &prefetcher{ctx: svc.Context(), plans: plans},
		swaps:    newSwapDesk(),
		sessions: make(chan struct{}, 256),
	}
	go api.swaps.run(svc.Context())
	go gangway.Every(svc.Context(), 15*time.Second, api.cabins.report)

	svc.HandleFunc("/seats/", api.seats)
	svc.HandleFunc("/swaps/", api.swap)
	log.Fatal(svc.Run())
}

type api struct {
	plans    *gangway.Neighbour
	cabins   *cabins
	ahead    *prefetcher
	swaps    *swapDesk
	sessions chan struct{}
}

func (a *api) seats(w http.ResponseWriter, r *http.Request) {
	a.sessions <- struct{}{}
	defer func() { <-a.sessions }()

	flight := strings.TrimPrefix(r.URL.Path, "/seats/")
	plan, err := a.plans.Get(r.Context(), "/plan/"+flight)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	free := a.cabins.free(flight)
	a.ahead.warm(flight)
	fmt.Fprintf(w, "%s%d free\n", plan, free)
}

func (a *api) swap(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	ticket := strings.TrimPrefix(r.URL.Path, "/swaps/")
	seat := a.swaps.request(ticket)
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, "%s asked for %s\n", ticket, seat)
}

func planPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(600 * time.Millisecond)
	fmt.Fprintf(w, "plan %s: 38 rows\n", r.URL.Path)
}
