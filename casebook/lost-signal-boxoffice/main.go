// Command boxoffice sells the seats of a theatre.
package main

import (
	"flag"
	"net/http"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	hall := NewHall()
	board := NewBoard()
	go board.refresh(hall)

	door := portico.Open("boxoffice")
	door.On(http.MethodPost, "/reserve", func(c *portico.Call) error {
		return c.Text(http.StatusAccepted, hall.Reserve())
	})
	door.On(http.MethodGet, "/board", board.follow)
	door.Gauges.Show("boxoffice_free_seats", hall.Free)
	door.Gauges.Show("boxoffice_viewers", board.Viewers)
	door.Keep(*listen)
}
