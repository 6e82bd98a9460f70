// Command sbomindex takes bills of material of container images and tells where an advisory applies.
package main

import (
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"git.oakandiron.tech/supply/sbomindex/internal/advisory"
	"git.oakandiron.tech/supply/sbomindex/internal/index"
	"git.oakandiron.tech/supply/sbomindex/internal/ingest"
)

func main() {
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("LISTEN_PORT"))
	if err != nil {
		slog.Error("listen", "err", err)
		os.Exit(1)
	}
	ix := index.New()
	in := ingest.New(ix, advisory.Builtin())

	r := chi.NewRouter()
	r.Method(http.MethodGet, "/metrics", promhttp.Handler())
	r.Mount("/debug/pprof", http.DefaultServeMux)
	r.Post("/v1/sboms", in.Receive)
	r.Get("/v1/advisories/{id}/images", ix.ServeImages)
	if err := http.Serve(ln, r); err != nil {
		slog.Error("serve", "err", err)
	}
}
