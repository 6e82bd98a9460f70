// Command beaconhub follows the beacons of a port while somebody looks at them.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	hub := NewHub(5 * time.Second)
	charts := NewCharts()
	app := chassis.New("beaconhub",
		chassis.Recover(),
		chassis.AccessLog(200, 3*time.Second),
		chassis.RequestID(),
	)
	app.Route("GET", "/look/", hub.look)
	app.Route("GET", "/chart/", charts.show)
	app.Route("GET", "/stream/", hub.stream)
	app.Meter.Gauge("beaconhub_lookouts", hub.lookouts)
	for i := 0; i < 25; i++ {
		app.Background(hub.buoy(i))
	}
	log.Fatal(app.Serve(*listen))
}
