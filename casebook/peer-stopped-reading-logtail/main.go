// Command logtail streams the log files of a cluster to whoever follows them.
package main

import (
	"flag"
	"net/http"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	backlog := flag.Int("backlog", 1500, "lines that a follower gets at once")
	flag.Parse()

	hub := NewHub(*backlog)
	go hub.collect()
	archive := NewArchive(64)

	portico.SendBuffer = 64 << 10
	door := portico.Open("logtail")
	door.Intercept(namespaces)
	door.On(http.MethodGet, "/tail/", func(c *portico.Call) error { return hub.tail(c) })
	door.On(http.MethodGet, "/lines/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, archive.Search(c.Tail))
	})
	door.Gauges.Show("logtail_followers", hub.Followers)
	door.Gauges.Show("logtail_dropped_lines_total", hub.Dropped)
	door.Keep(*listen)
}

// namespaces lets callers see the namespaces of their team only.
func namespaces(c *portico.Call) error {
	if c.R.Header.Get("X-Team") == "visitors" {
		return portico.Refusal{Status: http.StatusForbidden, Reason: "no namespace"}
	}
	return c.Next()
}
