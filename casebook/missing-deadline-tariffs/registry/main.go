// Command registry stands in for the customs registry and the exchange-rate service.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address to serve on")
	flag.Parse()
	var asked uint64
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	http.HandleFunc("/duty/", func(w http.ResponseWriter, r *http.Request) {
		if atomic.AddUint64(&asked, 1)%10 == 0 {
			<-r.Context().Done()
			return
		}
		time.Sleep(60 * time.Millisecond)
		fmt.Fprintf(w, "%s 4.2\n%s", r.URL.Path, strings.Repeat("note\n", 200))
	})
	http.HandleFunc("/rate/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(120 * time.Millisecond)
		fmt.Fprintf(w, "%s 1.09\n", r.URL.Path)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}
