// Command provider stands in for the geocoding provider.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address to serve on")
	flag.Parse()
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	http.HandleFunc("/v1/tile/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(900 * time.Millisecond)
		_, _ = w.Write(make([]byte, 24<<10))
	})
	http.HandleFunc("/v1/geocode", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("q")
		if strings.HasPrefix(q, "lighthouse") {
			time.Sleep(24 * time.Hour)
		}
		time.Sleep(15 * time.Millisecond)
		fmt.Fprintf(w, `{"q":%q,"lat":59.9,"lon":10.7}`, q)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}
