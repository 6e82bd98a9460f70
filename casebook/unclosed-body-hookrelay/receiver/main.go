// Command receiver stands in for the customers' web hooks and for the directory of customers.
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
	var calls uint64
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	http.HandleFunc("/hook/", func(w http.ResponseWriter, r *http.Request) {
		if atomic.AddUint64(&calls, 1)%5 == 0 {
			http.Error(w, strings.Repeat("the hook is being moved\n", 100), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "thank you")
	})
	http.HandleFunc("/customer/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(1200 * time.Millisecond)
		fmt.Fprintf(w, `{"name":%q}`, r.URL.Path)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}
