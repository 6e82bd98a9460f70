package main

import (
	"flag"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	flag.Parse()

	meters := openMeters(110)
	watches := newWatches(meters)
	app := httpd.New("budgets", httpd.WithServer(func(s *http.Server) { s.IdleTimeout = 4 * time.Minute }))
	app.On("POST", "/usage/", func(c *httpd.Call) error {
		meters.add(c.Rest, 1)
		return c.Text(202, "noted")
	})
	app.On("PUT", "/watches/", func(c *httpd.Call) error {
		account, _, _ := strings.Cut(c.Rest, "/")
		watches.set(account, len(c.Rest)*10)
		return c.Text(200, "watching %s", account)
	})
	log.Fatal(app.Serve(*listen))
}
