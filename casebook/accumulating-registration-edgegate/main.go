// Command edgegate routes the requests of tenants to their own back ends.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/bus"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	every := flag.Duration("sync", time.Second, "how often the tenants are read from the directory")
	greet := flag.Bool("greet-first", false, "admit a tenant only once its back end has answered")
	flag.Parse()

	directory, err := peer.Local(newDirectory(), 48)
	if err != nil {
		log.Fatal(err)
	}
	policies := bus.New()
	gate := newGate(directory)
	syncer := &Syncer{directory: directory, policies: policies, gate: gate, every: *every, greet: *greet}

	tracer := chassis.NewTracer(512)
	app := chassis.New("edgegate",
		chassis.Recover(),
		chassis.RequestID(),
		tracer.Filter,
		chassis.AccessLog(200, 3*time.Second),
		chassis.Caller(map[string]string{"k-ops": "operations"}),
	)
	app.Route("GET,POST", "/t/", gate.forward)
	app.Route("POST", "/policies/", syncer.announce)
	app.Meter.Gauge("edgegate_tenants", func() float64 { return float64(gate.tenants()) })
	app.Background(syncer.run)
	app.Background(gate.measure)
	log.Fatal(app.Serve(*listen))
}
