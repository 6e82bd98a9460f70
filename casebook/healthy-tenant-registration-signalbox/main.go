// Command signalbox keeps one post per line of the railway and passes signals to it.
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
	flag.Parse()

	register := newRegister(30)
	control, err := peer.Local(register, 16)
	if err != nil {
		log.Fatal(err)
	}
	box := &Box{control: control, signals: bus.New(), posts: make(map[string]*Post)}
	tracer := chassis.NewTracer(256)
	app := chassis.New("signalbox",
		chassis.Recover(),
		chassis.RequestID(),
		tracer.Filter,
		chassis.AccessLog(200, time.Second),
		chassis.Caller(map[string]string{"desk": "dispatcher"}),
	)
	app.Route("POST", "/lines/open/", register.open)
	app.Route("POST", "/lines/close/", register.shut)
	app.Route("POST", "/signal/", box.signal)
	app.Route("GET", "/status/", box.status)
	app.Meter.Gauge("signalbox_lines_configured", register.count)
	app.Meter.Gauge("signalbox_posts", box.manned)
	app.Background(box.run)
	log.Fatal(app.Serve(*listen))
}
