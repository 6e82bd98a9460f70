package main

import (
	"flag"
	"log"
	"time"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	most := flag.Int("printers", 30, "printers at most")
	flag.Parse()

	hall := newHall(4, *most)
	spooler := startSpooler(12)
	app := httpd.New("labelprint", httpd.WithStep(httpd.Within(4*time.Second)))
	app.On("POST", "/labels/", func(c *httpd.Call) error {
		label := &label{text: c.Rest, done: make(chan struct{})}
		if err := hall.print(c.Ctx(), label); err != nil {
			return err
		}
		spooler.note(c.Rest)
		return c.Text(201, "printed")
	})
	app.On("GET", "/printers", func(c *httpd.Call) error { return c.Text(200, "%d", hall.size()) })
	log.Fatal(app.Serve(*listen))
}
