// Command mediagate converts pictures on their way to the players.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	gate := NewGate(journal.Open(200))
	app := chassis.New("mediagate",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.AccessLog(300, 10*time.Second),
		chassis.Caller(nil),
		gate.deadline,
	)
	app.Route("GET", "/picture/", gate.picture)
	app.Route("GET", "/poster/", gate.poster)
	app.Route("GET", "/wall/", gate.wall)
	app.Meter.Gauge("mediagate_converting", gate.busy)
	app.Background(gate.report)
	log.Fatal(app.Serve(*listen))
}
