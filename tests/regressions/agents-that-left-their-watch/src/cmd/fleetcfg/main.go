// Command fleetcfg hands configuration to vehicles' agents over gRPC.
package main

import (
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"git.vantarail.net/fleet/fleetcfg/internal/catalogue"
	"git.vantarail.net/fleet/fleetcfg/internal/distribute"
	"git.vantarail.net/fleet/fleetcfg/internal/rollout"
)

func main() {
	ops, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("LISTEN_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	rpc, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("EXTRA_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	board := rollout.NewBoard()
	go catalogue.Poll("http://127.0.0.1:"+os.Getenv("BACKEND_PORT")+"/catalogue", 2*time.Second, board)

	srv := grpc.NewServer(
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 20 * time.Second, Timeout: 5 * time.Second}),
		grpc.StreamInterceptor(distribute.Metrics),
	)
	distribute.Register(srv, distribute.New(board))
	go func() { log.Fatal(srv.Serve(rpc)) }()

	http.Handle("/metrics", promhttp.Handler())
	log.Fatal(http.Serve(ops, nil))
}
