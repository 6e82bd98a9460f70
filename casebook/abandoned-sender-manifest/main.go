// customsclear checks ships' manifests against customs before they are filed.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"example.org/tinlane/plumb/httpd"
	"example.org/tinlane/plumb/loop"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	berths := flag.Int("berths", 28, "terminals that keep a line open")
	flag.Parse()

	registry := NewRegistry()
	clerk := &Clerk{registry: registry}
	exchange, err := OpenExchange()
	if err != nil {
		log.Fatal(err)
	}
	for berth := 0; berth < *berths; berth++ {
		if err := exchange.Connect(berth); err != nil {
			log.Fatal(err)
		}
	}
	go loop.Every(context.Background(), 1500*time.Millisecond, registry.refresh)

	app := httpd.New("customsclear", httpd.WithStep(tenant))
	app.On("POST", "/manifests/import/", func(c *httpd.Call) error { return clerk.file(c, c.Rest+"!") }, httpd.Within(4*time.Second))
	app.On("POST", "/manifests/export/", func(c *httpd.Call) error { return clerk.file(c, c.Rest) }, httpd.Within(4*time.Second))
	log.Fatal(app.Serve(*listen))
}

func tenant(next httpd.Func) httpd.Func {
	return func(c *httpd.Call) error {
		if c.R.Header.Get("X-Tenant") == "blocked" {
			return httpd.Problem{Code: 403, Text: "tenant is blocked"}
		}
		return next(c)
	}
}
