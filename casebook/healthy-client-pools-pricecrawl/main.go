// Command pricecrawl reads the price lists of many shops and mirrors their catalogues.
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

	mall, err := OpenMall(5)
	if err != nil {
		log.Fatal(err)
	}
	crawler := NewCrawler(mall)
	mirror := NewMirror(mall)
	door := portico.Open("pricecrawl")
	door.Intercept(portico.Within(20 * time.Second))
	door.On(http.MethodPost, "/crawl/", func(c *portico.Call) error {
		return c.JSON(http.StatusOK, map[string]int{"prices": crawler.Crawl(c.Ctx, c.Number())})
	})
	door.On(http.MethodPost, "/mirror/", func(c *portico.Call) error {
		mirror.Start(c.Number())
		return c.Text(http.StatusAccepted, "started")
	})
	door.Gauges.Show("pricecrawl_mirrored_bytes_total", mirror.Bytes)
	door.Keep(*listen)
}
