// Command columnar answers queries over columns that it keeps outside of Go's heap.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	source, err := peer.Local(tableService(), 24)
	if err != nil {
		log.Fatal(err)
	}
	columns := &Columns{mapped: make(map[*Column]struct{})}
	engine := &Engine{source: source, workers: lane.New(20), columns: columns, plans: make(map[int]*Plan)}
	app := chassis.New("columnar",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.AccessLog(100, 2*time.Second),
		chassis.Caller(nil),
	)
	app.Route("GET", "/sum/", engine.sum)
	app.Route("GET", "/top/", engine.top)
	app.Meter.Gauge("columnar_plans", engine.planned)
	app.Meter.Gauge("columnar_columns_mapped", columns.count)
	app.Background(engine.tidy)
	log.Fatal(app.Serve(*listen))
}
