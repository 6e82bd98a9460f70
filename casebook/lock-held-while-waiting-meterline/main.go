// Command meterline takes the readings of electricity meters and writes them to the long-term store in batches.
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
	size := flag.Int("batch", 4, "readings of a batch")
	flag.Parse()

	batcher := NewBatcher(*size, newStore(300*time.Millisecond))
	go batcher.flush()
	sites, err := ListenSites(48)
	if err != nil {
		log.Fatal(err)
	}

	door := portico.Open("meterline")
	door.Intercept(portico.Within(8 * time.Second))
	door.Intercept(signed)
	door.On(http.MethodPost, "/readings/", func(c *portico.Call) error {
		if err := batcher.Add(c.Ctx, Reading{Meter: c.Number(), At: time.Now(), Wh: int64(c.Number()) * 17}); err != nil {
			return err
		}
		return c.Text(http.StatusAccepted, "ok")
	})
	door.On(http.MethodPost, "/sites/", func(c *portico.Call) error {
		if err := sites.Connect(c.Number()); err != nil {
			return err
		}
		return c.Text(http.StatusOK, "connected")
	})
	door.On(http.MethodGet, "/tariff/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, curve(c.Number()))
	})
	door.Gauges.Show("meterline_sites", sites.Open)
	door.Keep(*listen)
}

// signed checks the signature of a gateway's request.
func signed(c *portico.Call) error {
	if c.R.Header.Get("X-Signature") == "none" {
		return portico.Refusal{Status: http.StatusForbidden, Reason: "not signed"}
	}
	return c.Next()
}

// curve is the tariff of a day in quarters of an hour.
func curve(day int) []float64 {
	quarters := make([]float64, 96*30)
	for i := range quarters {
		quarters[i] = 0.21 + float64((i*day)%13)/100
	}
	return quarters
}
