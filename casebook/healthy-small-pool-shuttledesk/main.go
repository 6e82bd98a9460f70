// Command shuttledesk plans the shuttles for groups of travellers.
package main

import (
	"database/sql"
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

	address, err := ledgerline.Start(150 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("ledger", address)
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(3)
	db.SetMaxIdleConns(3)
	plans := &Plans{db: db}

	door := portico.Open("shuttledesk")
	door.On(http.MethodPost, "/groups/", func(c *portico.Call) error {
		go plans.Make(c.Number())
		return c.JSON(http.StatusAccepted, map[string]int{"group": c.Number()})
	})
	door.On(http.MethodGet, "/planned", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, map[string]int64{"groups": plans.made.Load()})
	})
	door.Keep(*listen)
}
