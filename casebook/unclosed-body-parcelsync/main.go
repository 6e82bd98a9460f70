// Command parcelsync keeps the customs papers of parcels in step with the carriers.
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	carrier, err := StartCarrier()
	if err != nil {
		log.Fatal(err)
	}
	papers := NewPapers(carrier)
	tracker := NewTracker(carrier, 30)
	go tracker.follow()

	door := portico.Open("parcelsync")
	door.Intercept(portico.Within(5 * time.Second))
	door.On(http.MethodPost, "/papers/", func(c *portico.Call) error {
		kind, err := papers.Import(c.Tail)
		if err != nil {
			return portico.Refusal{Status: http.StatusUnprocessableEntity, Reason: err.Error()}
		}
		return c.JSON(http.StatusOK, map[string]string{"kind": kind})
	})
	door.On(http.MethodGet, "/track/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, tracker.Ask(c.Ctx, c.Number()))
	})
	door.Keep(*listen)
}
