// Command timetable feeds the displays of a railway line.
package main

import (
	"flag"
	"net/http"
	"time"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	table := NewTimetable(60)
	go table.recompute(2400*time.Millisecond, 700*time.Millisecond)
	displays := NewDisplays(table)

	door := portico.Open("timetable")
	door.On(http.MethodPost, "/displays", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, map[string]int{"displays": displays.Add(6)})
	})
	door.On(http.MethodDelete, "/displays", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, map[string]int{"displays": displays.Remove(12)})
	})
	door.On(http.MethodGet, "/board/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, table.Board(c.Number()%60))
	})
	door.On(http.MethodGet, "/stations", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, table.Names())
	})
	door.Gauges.Show("timetable_displays", displays.Size)
	door.Keep(*listen)
}
