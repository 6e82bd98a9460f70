// Command quoteboard takes quotes over HTTP and sends them to the boards on the trading floor.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	boards := flag.String("boards", "127.0.0.1:8091", "address that the boards connect to")
	app := lattice.New("quoteboard")
	flag.Parse()

	feed := NewFeed()
	ln, err := net.Listen("tcp", *boards)
	if err != nil {
		log.Fatal(err)
	}
	charts := NewCharts(70)

	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(3*time.Second))
	app.Route("/quote/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		feed.Publish(Quote{Paper: n % 300, Cents: 1000 + n})
		fmt.Fprintln(w, "ok")
	})
	app.Route("/chart/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		_, _ = w.Write(charts.Draw(r.Context(), n))
	})
	app.Background("boards", func(ctx context.Context) { feed.accept(ctx, ln) })
	app.Stats.Gauge("quoteboard_boards", feed.Boards)
	app.Stats.Gauge("quoteboard_painters", charts.Painters)
	app.Run()
}
