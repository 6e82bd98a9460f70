// Command nightfold folds the measurements of a day into monthly figures.
package main

import (
	"flag"
	"net/http"
	"time"

	"example.org/quarry/portico"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	pace := flag.Duration("pace", 2*time.Second, "time that one page takes")
	flag.Parse()

	folder := NewFolder(*pace)
	reports := NewReports()
	door := portico.Open("nightfold")
	door.Intercept(portico.Within(6 * time.Second))
	door.On(http.MethodPost, "/fold", func(c *portico.Call) error {
		return c.JSON(http.StatusAccepted, map[string]int{"batch": folder.Start(5, 50)})
	})
	door.On(http.MethodGet, "/report/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, reports.Build(c.Ctx, c.Number()))
	})
	door.Gauges.Show("nightfold_batches_running", folder.Running)
	door.Gauges.Show("nightfold_pages_total", folder.Pages)
	door.Keep(*listen)
}
