// Command geomirror keeps a copy of the place index in every region.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"time"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	ring := NewRing("ams", "fra", "mad", "waw")
	meters := NewMeters()
	feed := NewFeed()
	go ring.turns(700 * time.Millisecond)
	go feed.announce(ring)

	door := portico.Open("geomirror")
	door.Intercept(meters.admit)
	door.On(http.MethodGet, "/places/", func(c *portico.Call) error {
		place, ok := ring.regions[c.Number()%len(ring.regions)].Find(c.Number() % 5000)
		if !ok {
			return portico.Refusal{Status: http.StatusNotFound, Reason: "no such place"}
		}
		return c.JSON(http.StatusOK, place)
	})
	door.On(http.MethodPost, "/places/", func(c *portico.Call) error {
		ring.regions[c.Number()%len(ring.regions)].Offer(Place{ID: c.Number() % 5000, Name: fmt.Sprint("place ", c.Tail)})
		return c.Text(http.StatusAccepted, "queued")
	})
	door.On(http.MethodPost, "/mirror", func(c *portico.Call) error {
		return c.JSON(http.StatusAccepted, map[string]int{"started": ring.All()})
	})
	door.On(http.MethodGet, "/feed", feed.serve)
	door.Gauges.Show("geomirror_feed_listeners", feed.Listeners)
	door.Gauges.Show("geomirror_tenants", meters.Size)
	door.Keep(*listen)
}
