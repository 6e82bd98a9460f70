// Command farebook answers what a journey costs and books it.
package main

import (
	"errors"
	"flag"
	"log"
	"net/http"
	"time"

	"example.org/quarry/ledgerline"
	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	address, err := ledgerline.Start(20 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fares, err := OpenFares(address, 6)
	if err != nil {
		log.Fatal(err)
	}
	door := portico.Open("farebook")
	door.On(http.MethodGet, "/fares/", func(c *portico.Call) error {
		cents, err := fares.Cheapest(c.Number())
		if err != nil {
			return portico.Refusal{Status: http.StatusBadGateway, Reason: err.Error()}
		}
		return c.JSON(http.StatusOK, map[string]int64{"cents": cents})
	})
	door.On(http.MethodPost, "/book/", func(c *portico.Call) error {
		seats, err := fares.Book(c.Number())
		if errors.Is(err, errSoldOut) {
			return portico.Refusal{Status: http.StatusConflict, Reason: err.Error()}
		}
		if err != nil {
			return portico.Refusal{Status: http.StatusBadGateway, Reason: err.Error()}
		}
		return c.JSON(http.StatusOK, map[string]int64{"seats": seats})
	})
	door.Keep(*listen)
}
