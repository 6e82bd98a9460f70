// Command pagebridge takes pages over HTTP and sends them over the transmitters of a region.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/pprof"
	"path"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	radio := flag.String("radio", "127.0.0.1:8091", "address of the transmitters")
	flag.Parse()

	bridge := NewBridge(*radio)
	for i := 0; i < 36; i++ {
		go bridge.control(i)
	}
	stats := newStats()
	go stats.summarise()

	mux := http.NewServeMux()
	mux.Handle("/page/", stats.observe("/page", http.HandlerFunc(bridge.page)))
	mux.Handle("/status", stats.observe("/status", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%d carriers\n", bridge.Carriers())
	})))
	mux.HandleFunc("/metrics", stats.metrics)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	srv := &http.Server{Addr: *listen, Handler: logged(mux)}
	log.Printf("pagebridge on %s", *listen)
	log.Fatal(srv.ListenAndServe())
}

// page sends one page and answers when it went out, or when that takes too long.
func (b *Bridge) page(w http.ResponseWriter, r *http.Request) {
	sent := b.Send(path.Base(r.URL.Path))
	late := time.NewTimer(1500 * time.Millisecond)
	defer late.Stop()
	select {
	case err := <-sent:
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, "sent")
	case <-late.C:
		http.Error(w, "not yet acknowledged", http.StatusAccepted)
	case <-r.Context().Done():
	}
}
