// Command georoute computes legs between two ports with the help of regional engines.
package main

import (
	"fmt"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "georoute", AccessLog: true, RouteLimit: 3 * time.Second})
	var engines []*engine
	for _, cfg := range []struct {
		region string
		delay  time.Duration
	}{{"east", 15 * time.Millisecond}, {"west", 45 * time.Millisecond}} {
		n, err := gangway.StartNeighbour(engineRoom(cfg.delay), 32)
		if err != nil {
			log.Fatal(err)
		}
		engines = append(engines, &engine{region: cfg.region, at: n})
	}
	planner := newPlanner(engines)
	tiles := newTileStore(svc.Context(), 90)
	go gangway.Every(svc.Context(), 6*time.Second, planner.probe)
	go gangway.Every(svc.Context(), 2*time.Second, tiles.survey)

	svc.HandleFunc("/route/", func(w http.ResponseWriter, r *http.Request) {
		tiles.touch(path.Base(r.URL.Path))
		leg, err := planner.plan(r.Context(), path.Base(r.URL.Path))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, "%s by %s\n", leg.text, leg.region)
	})
	svc.HandleFunc("/admin/mode", func(w http.ResponseWriter, r *http.Request) {
		mode := r.URL.Query().Get("set")
		if r.Method != http.MethodPost || !planner.setMode(mode) {
			http.Error(w, "POST ?set=single or ?set=failover", http.StatusBadRequest)
			return
		}
		log.Printf("mode is now %s", mode)
	})
	log.Fatal(svc.Run())
}

func engineRoom(delay time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		fmt.Fprintf(w, "leg %s 143 nm", path.Base(r.URL.Path))
	})
}
