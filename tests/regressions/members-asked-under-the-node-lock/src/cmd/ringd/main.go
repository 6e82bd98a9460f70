// Command ringd tells clients which cache node owns a key.
package main

import (
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strconv"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"git.solvane.io/edge/ringd/internal/cluster"
	"git.solvane.io/edge/ringd/internal/lookup"
)

func main() {
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("LISTEN_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	port, err := strconv.Atoi(os.Getenv("EXTRA_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	c, err := cluster.Start(cluster.Config{Name: "ringd-0", Port: port, Zone: "fsn1-a", Weight: 0})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/metrics", promhttp.Handler())
	http.Handle("/v1/", lookup.Handler(c))
	log.Fatal(http.Serve(ln, nil))
}
