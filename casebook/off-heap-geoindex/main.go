// Command geoindex finds the region of an address; the index is made anew at regular times.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	folder := flag.String("folder", ".", "where the index lies")
	every := flag.Duration("every", 4*time.Second, "how often the index is made anew")
	flag.Parse()

	index := &Index{folder: *folder, every: *every}
	if err := index.reload(); err != nil {
		log.Fatal(err)
	}
	finder := newFinder(index)
	app := chassis.New("geoindex",
		chassis.RequestID(),
		chassis.AccessLog(250, time.Second),
		chassis.Recover(),
	)
	app.Route("GET", "/region/", finder.region)
	app.Meter.Gauge("geoindex_zones", func() float64 { return float64(index.zoneCount()) })
	app.Background(index.follow)
	for i := 0; i < 18; i++ {
		app.Background(finder.resolve)
	}
	log.Fatal(app.Serve(*listen))
}
