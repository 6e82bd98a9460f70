// Command shelfindex keeps the full-text index of a library.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"syscall"
)

type app struct {
	indexer *Indexer
	shards  *Shards
	meter   *meter
}

func main() {
	var listen string
	flag.StringVar(&listen, "listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	a := &app{indexer: NewIndexer(), shards: OpenShards(180), meter: newMeter()}
	go a.indexer.expire()
	go a.indexer.rank()

	mux := http.NewServeMux()
	mux.Handle("/passes", a.wrap(a.startPass))
	mux.Handle("/search/", a.wrap(a.search))
	mux.Handle("/metrics", a.meter)
	mux.HandleFunc("/debug/pprof/", pprof.Index)

	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			log.Print("configuration read again")
		}
	}()
	log.Printf("shelfindex on %s", listen)
	log.Fatal(http.ListenAndServe(listen, mux))
}

// wrap is what surrounds every route.
func (a *app) wrap(h func(http.ResponseWriter, *http.Request) int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				log.Printf("panic on %s: %v", r.URL.Path, p)
				panic(http.ErrAbortHandler)
			}
		}()
		a.meter.count(r.URL.Path, h(w, r))
	})
}
