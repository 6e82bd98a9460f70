// Command tabulate turns rows into tables, quickly, and collects garbage seldom.
package main

import (
	"flag"
	"log"
	"runtime/debug"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	percent := flag.Int("gc-percent", 400, "garbage collection target percentage")
	flag.Parse()
	debug.SetGCPercent(*percent)

	tables := &Tables{schemas: loadSchemas(240), lane: lane.New(12)}
	press := newPress(tables, 28)
	app := chassis.New("tabulate",
		chassis.RequestID(),
		chassis.AccessLog(200, time.Second),
		chassis.Recover(),
		chassis.Caller(nil),
	)
	app.Route("POST", "/table/", tables.make)
	app.Route("POST", "/print/", press.order)
	app.Meter.Gauge("tabulate_schemas", func() float64 { return float64(len(tables.schemas)) })
	app.Background(press.clean)
	log.Fatal(app.Serve(*listen))
}
