// Command exportd hands out large tables, some of them over slow lines.
package main

import (
	"flag"
	"net/http"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()

	tables := NewTables(6000)
	portico.SendBuffer = 16 << 10
	door := portico.Open("exportd")
	door.On(http.MethodGet, "/export/", func(c *portico.Call) error {
		return tables.export(c)
	})
	door.On(http.MethodGet, "/row/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, tables.row(c.Number()))
	})
	door.Gauges.Show("exportd_exports_running", tables.Running)
	door.Gauges.Show("exportd_rows_total", tables.Rows)
	door.Keep(*listen)
}
