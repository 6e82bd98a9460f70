// What runs in a pod: a service with pprof and metrics, that keeps a goroutine of every order whose customer left.
package main

import (
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// reserve asks the stock; its answer finds nobody once the customer has left.
func reserve(patience time.Duration) bool {
	answer := make(chan bool)
	go func() {
		time.Sleep(2 * patience)
		answer <- true
	}()
	select {
	case found := <-answer:
		return found
	case <-time.After(patience):
		return false
	}
}

func main() {
	addresses := flag.String("listen", "", "addresses of the server: 10.244.1.11:6060,127.244.1.11:6060")
	certificate := flag.String("cert", "", "for https")
	key := flag.String("key", "", "for https")
	abandoned := flag.Int("abandoned", 0, "orders whose customers leave, at the start")
	flag.Parse()

	for range *abandoned {
		go reserve(10 * time.Millisecond)
	}
	http.HandleFunc("/order", func(w http.ResponseWriter, _ *http.Request) {
		if !reserve(10 * time.Millisecond) {
			http.Error(w, "out of stock", http.StatusServiceUnavailable)
		}
	})
	http.Handle("/metrics", promhttp.Handler())
	for _, address := range strings.Split(*addresses, ",") {
		go func() {
			if *certificate != "" {
				log.Fatal(http.ListenAndServeTLS(address, *certificate, *key, nil))
			}
			log.Fatal(http.ListenAndServe(address, nil))
		}()
	}
	select {}
}
