// tenantgate decides which tenant may call what. Policies are read anew every second and a half.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.org/tinlane/plumb/stats"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	every := flag.Duration("every", 1500*time.Millisecond, "how often policies are read")
	flag.Parse()

	counters := &stats.Set{}
	gate := newGate(&directory{tenants: 12})
	go gate.refresh(*every)

	limits := newLimiter(64)
	mux := http.NewServeMux()
	mux.Handle("/metrics", counters.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.Handle("/check/", counted(counters, "/check/", limits.limit(authenticated(http.HandlerFunc(gate.check)))))

	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			gate.reload()
		}
	}()
	server := http.Server{Addr: *listen, Handler: mux, IdleTimeout: 5 * time.Minute}
	log.Printf("tenantgate on %s", *listen)
	log.Fatal(server.ListenAndServe())
}

func counted(set *stats.Set, path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		set.Add(fmt.Sprintf("http_requests_total{path=%q,code=\"200\"}", path), 1)
	})
}

func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "none" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
