// Command etacalc estimates arrivals: a request starts a simulation of the voyage and is answered before it ends.
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
	svc := gangway.New(gangway.Options{Name: "etacalc", AccessLog: true, RouteLimit: 5 * time.Second})
	weather, err := gangway.StartNeighbour(http.HandlerFunc(forecast), 40)
	if err != nil {
		log.Fatal(err)
	}
	fleet := newFleet(weather)
	crew := gangway.NewCrew(10)
	go gangway.Every(svc.Context(), 2*time.Second, fleet.publish(crew))

	svc.HandleFunc("/eta/", func(w http.ResponseWriter, r *http.Request) {
		ship := strings.TrimPrefix(r.URL.Path, "/eta/")
		if r.Method == http.MethodPost {
			fleet.simulate(ship)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		hours, ok := fleet.arrival(ship)
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "%s in %d h\n", ship, hours)
	})
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

func forecast(w http.ResponseWriter, r *http.Request) {
	time.Sleep(60 * time.Millisecond)
	fmt.Fprintln(w, "NW 5")
}
