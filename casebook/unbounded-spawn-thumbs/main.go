// thumbs makes previews of uploaded pictures.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	encoders := flag.Int("encoders", 2, "pictures encoded at once")
	flag.Parse()

	studio := newStudio(*encoders, 1300*time.Millisecond)
	shelf := newShelf(40)

	app := httpd.New("thumbs", httpd.WithStep(sized(1<<20)))
	app.On("POST", "/pictures/", func(c *httpd.Call) error {
		go studio.preview(c.Rest, shelf.keep)
		return c.Text(202, "preview of %s follows", c.Rest)
	})
	app.On("GET", "/previews/", func(c *httpd.Call) error {
		if !shelf.has(c.Rest) {
			return httpd.Problem{Code: 404, Text: "not yet"}
		}
		return c.Text(200, "%s", c.Rest)
	})
	log.Fatal(app.Serve(*listen))
}

func sized(limit int64) httpd.Step {
	return func(next httpd.Func) httpd.Func {
		return func(c *httpd.Call) error {
			if c.R.ContentLength > limit {
				return httpd.Problem{Code: 413, Text: "too large"}
			}
			return next(c)
		}
	}
}
