// Command containerd serves the CRI of a node and keeps its pods' tasks, each
// behind the shim of its pod.
package main

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/containerd/containerd/log"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"

	"example.com/edgeworks/node/containerd/cri"
)

func main() {
	var (
		address = flag.String("address", "/run/containerd/containerd.sock", "socket of the CRI")
		debug   = flag.String("debug-address", "/run/containerd/debug.sock", "socket of the debug API")
		metrics = flag.String("metrics-address", "127.0.0.1:1338", "address of the metrics API")
		stream  = flag.String("stream-address", "127.0.0.1:10010", "address of the streaming server")
		shim    = flag.String("shim-address", "", "socket of the pod's shim")
	)
	flag.Parse()
	logrus.SetFormatter(&logrus.TextFormatter{TimestampFormat: log.RFC3339NanoFixed, FullTimestamp: true})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log.G(ctx).WithField("version", "1.4.12").Info("starting containerd")

	tasks, err := cri.ConnectShim(ctx, "unix://"+*shim, 10*time.Second)
	if err != nil {
		log.G(ctx).WithError(err).Fatal("failed to connect to shim")
	}
	service := cri.NewService(tasks, *stream)
	if err := service.StartTasks(ctx); err != nil {
		log.G(ctx).WithError(err).Fatal("failed to start tasks")
	}

	go serveHTTP(ctx, "tcp", *stream, service.StreamHandler())
	go serveHTTP(ctx, "tcp", *metrics, metricsHandler())
	go serveHTTP(ctx, "unix", *debug, debugHandler())

	listener, err := net.Listen("unix", *address)
	if err != nil {
		log.G(ctx).WithError(err).Fatal("failed to get listener for main endpoint")
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(16<<20), grpc.MaxSendMsgSize(16<<20), grpc.StatsHandler(rpcCounter{}))
	runtimeapi.RegisterRuntimeServiceServer(server, service)
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	log.G(ctx).WithField("address", *address).Info("serving...")
	if err := server.Serve(listener); err != nil {
		log.G(ctx).WithError(err).Fatal("serve failure")
	}
}

func serveHTTP(ctx context.Context, network, address string, handler http.Handler) {
	listener, err := net.Listen(network, address)
	if err != nil {
		log.G(ctx).WithError(err).Fatalf("failed to listen on %s", address)
	}
	log.G(ctx).WithField("address", address).Info("serving...")
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	if err := server.Serve(listener); err != nil {
		log.G(ctx).WithError(err).Fatal("serve failure")
	}
}

func metricsHandler() http.Handler {
	m := http.NewServeMux()
	m.Handle("/v1/metrics", promhttp.Handler())
	return m
}

func debugHandler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/debug/pprof/", pprof.Index)
	m.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	m.HandleFunc("/debug/pprof/profile", pprof.Profile)
	m.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return m
}
