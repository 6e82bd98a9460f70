// probes looks after the hosts of its configuration, each at its own interval.
package main

import (
	"flag"
	"log"
	"strconv"
	"strings"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	flag.Parse()

	results := newResults(256)
	fleet := &fleet{results: results}
	fleet.apply(configOf(5))

	app := httpd.New("probes")
	app.On("PUT", "/config/", func(c *httpd.Call) error {
		size, _, _ := strings.Cut(c.Rest, "/")
		hosts, err := strconv.Atoi(size)
		if err != nil || hosts > 500 {
			return httpd.Problem{Code: 400, Text: "how many hosts?"}
		}
		fleet.apply(configOf(hosts))
		return c.Text(200, "%d hosts", hosts)
	})
	app.On("GET", "/results", func(c *httpd.Call) error { return c.JSON(200, results.recent()) })
	log.Fatal(app.Serve(*listen))
}
