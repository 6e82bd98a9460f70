package main

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"example.com/bazaar/catalogue-intake/internal/cursor"
	"example.com/bazaar/catalogue-intake/internal/feed"
	"example.com/bazaar/catalogue-intake/internal/web"
)

func main() {
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		slog.Error("listen", "err", err)
		os.Exit(1)
	}
	cursors, err := cursor.NewTable(8192)
	if err != nil {
		slog.Error("cursors", "err", err)
		os.Exit(1)
	}
	in := &web.Intake{Catalogue: feed.NewCatalogue(), Cursors: cursors}
	srv := &http.Server{Handler: in.Routes(), ReadTimeout: 20 * time.Second}
	slog.Info("intake open", "addr", ln.Addr().String())
	if err := srv.Serve(ln); err != nil {
		slog.Error("serve", "err", err)
		os.Exit(1)
	}
}
