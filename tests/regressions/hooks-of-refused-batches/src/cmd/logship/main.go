// Command logship is the sidecar that sends container logs to the collector.
package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"git.brightquay.com/observability/logship/internal/batch"
	"git.brightquay.com/observability/logship/internal/deliver"
	"git.brightquay.com/observability/logship/internal/follow"
	"git.brightquay.com/observability/logship/internal/spool"
)

func main() {
	life, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("LISTEN_PORT"))
	if err != nil {
		slog.Error("listen", "err", err)
		os.Exit(1)
	}
	dir := os.Getenv("DATA_DIR")
	logs := filepath.Join(dir, "logs")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		slog.Error("logs", "err", err)
		os.Exit(1)
	}
	sp := spool.New(filepath.Join(dir, "spool"))
	out := deliver.New(life, "http://127.0.0.1:"+os.Getenv("BACKEND_PORT")+"/ingest", sp)
	go func() {
		err := follow.Dir(life, logs, func(name string) follow.Sink {
			b := batch.New(name, 128<<10, 3*time.Second, out.Queue())
			return b
		})
		if err != nil {
			slog.Error("follow", "err", err)
		}
	}()
	go out.Run(3)

	http.Handle("/metrics", promhttp.Handler())
	srv := &http.Server{}
	go func() { <-life.Done(); srv.Close() }()
	srv.Serve(ln)
}
