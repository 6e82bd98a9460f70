package main

import (
	"context"
	"flag"
	"log"
	"strings"
	"time"

	"example.org/tinlane/plumb/httpd"
	"example.org/tinlane/plumb/loop"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	flag.Parse()

	floor := newFloor()
	yard := openYard(9, 4)
	ctx := context.Background()
	go loop.Every(ctx, 50*time.Millisecond, floor.restock)
	go loop.Every(ctx, 400*time.Millisecond, yard.arrive)

	app := httpd.New("pickfloor")
	app.On("GET", "/aisles/", func(c *httpd.Call) error {
		aisle, picker, _ := strings.Cut(c.Rest, "/")
		tote, err := floor.next(c.Ctx(), aisle)
		if err != nil {
			return httpd.Problem{Code: 204, Text: ""}
		}
		return c.JSON(200, map[string]any{"picker": picker, "tote": tote})
	}, httpd.Within(1200*time.Millisecond))
	app.On("GET", "/docks", func(c *httpd.Call) error { return c.JSON(200, yard.report()) })
	log.Fatal(app.Serve(*listen))
}
