// Command floorctl watches the machines of a factory floor.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	machines := flag.Int("machines", 36, "machines on the floor")
	keep := flag.Int("keep", 40, "readings kept of a machine under diagnosis")
	flag.Parse()

	floor := newFloor(*machines, *keep)
	poller := &Poller{floor: floor, every: 100 * time.Millisecond}
	alarms := newAlarms(floor, 60)
	app := chassis.New("floorctl",
		chassis.Recover(),
		chassis.AccessLog(100, time.Second),
		chassis.RequestID(),
	)
	app.Route("GET", "/machines/", floor.show)
	app.Route("POST", "/diagnosis/", floor.diagnose)
	app.Route("GET", "/plan/", floor.plan)
	app.Background(poller.run)
	app.Background(alarms.run)
	for i := 0; i < 12; i++ {
		app.Background(alarms.dispatch)
	}
	log.Fatal(app.Serve(*listen))
}
