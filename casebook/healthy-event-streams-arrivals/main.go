// Command arrivals tells browsers and wall screens which aircraft have landed.
package main

import (
	"expvar"
	"flag"
	"log"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	tower := NewTower()
	go tower.watch()
	expvar.Publish("viewers", expvar.Func(func() interface{} { return tower.Viewers() }))

	log.Printf("arrivals on %s", *listen)
	srv := &http.Server{Addr: *listen, Handler: routes(tower)}
	go func() {
		if err := srv.ListenAndServe(); err != nil {
			log.Fatal(err)
		}
	}()
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	<-end
}

func routes(t *Tower) http.Handler {
	m := http.NewServeMux()
	m.Handle("/stream", counted("/stream", guarded(http.HandlerFunc(t.stream))))
	m.Handle("/poll", counted("/poll", guarded(http.HandlerFunc(t.poll))))
	m.Handle("/landed/", counted("/landed", guarded(http.HandlerFunc(t.landed))))
	m.HandleFunc("/metrics", metrics(t))
	m.Handle("/debug/vars", expvar.Handler())
	m.HandleFunc("/debug/pprof/", pprof.Index)
	return m
}
