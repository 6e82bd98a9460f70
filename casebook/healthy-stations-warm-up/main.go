package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"

	"example.org/tinlane/plumb/stats"
)

const stationsInAll = 44

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	flag.Parse()

	set := new(stats.Set)
	wires := newNetwork()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.Handle("/metrics", set.Handler())
	mux.Handle("/readings/", counting(set, "/readings/", http.HandlerFunc(wires.take)))
	mux.Handle("/stations", counting(set, "/stations", http.HandlerFunc(wires.list)))

	go func() {
		for range time.Tick(6 * time.Second) {
			wires.checkpoint()
		}
	}()
	server := &http.Server{Addr: *listen, Handler: timed(mux), IdleTimeout: 3 * time.Minute}
	log.Fatal(server.ListenAndServe())
}

func counting(set *stats.Set, path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer set.Add(fmt.Sprintf("http_requests_total{path=%q,code=\"200\"}", path), 1)
		next.ServeHTTP(w, r)
	})
}

func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		next.ServeHTTP(w, r)
		if took := time.Since(begun); took > 2*time.Second && !strings.HasPrefix(r.URL.Path, "/debug/") {
			log.Printf("%s took %s", r.URL.Path, took)
		}
	})
}

// stationOf returns the station that a reading belongs to.
func stationOf(path string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/readings/"))
	return n % stationsInAll, err
}
