// Command apiserver answers the read requests of the control plane: listings for the admin platform on the other side
// of the leased line, single objects for the nodes beside it.
package main

import (
	"flag"
	"net/http"
	"time"

	"k8s.io/apiserver/pkg/endpoints/metrics"
	"k8s.io/klog"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address of the API, of /metrics and of /debug")
	timeout := flag.Duration("request-timeout", 60*time.Second, "how long a request that is not long-running may take")
	inflight := flag.Int("max-requests-inflight", 400, "how many read requests are served at once")
	perPage := flag.Duration("line-delay", 150*time.Millisecond, "what the leased line adds to each page of an answer")
	site := flag.String("line-cidr", "127.0.0.2/32", "clients behind the leased line")
	parseFlags()

	line, err := newLeasedLine(*site, *perPage)
	if err != nil {
		klog.Fatalf("-line-cidr: %v", err)
	}
	metrics.Register()
	server := &http.Server{
		Addr:    *listen,
		Handler: withFilters(newAPI(newInventory(), line), *timeout, *inflight),
	}
	klog.Infof("Serving insecurely on %s", *listen)
	klog.Fatal(server.ListenAndServe())
}
