// Command adminplatform shows administrators the state of the cluster. It keeps a copy of everything and renews it all
// at a fixed interval.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9300", "address of the pages, of /metrics and of /debug/pprof")
	server := flag.String("apiserver", "http://127.0.0.1:8080", "the API server")
	from := flag.String("from", "127.0.0.2", "our own address on the leased line")
	every := flag.Duration("resync", 2*time.Second, "interval of the full listing")
	flag.Parse()

	client, err := newClusterClient(*server, *from)
	if err != nil {
		log.Fatalf("adminplatform: %v", err)
	}
	copies := newCopies()
	go resyncForever(client, copies, *every)

	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(copies.summary()); err != nil {
			log.Printf("page for %s: %v", r.RemoteAddr, err)
		}
	})
	mux.Handle("/metrics", promhttp.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	log.Printf("adminplatform: watching %s from %s, pages on %s", *server, *from, *listen)
	log.Fatal(http.ListenAndServe(*listen, mux))
}
