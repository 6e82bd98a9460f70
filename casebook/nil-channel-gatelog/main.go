package main

import (
	"context"
	"flag"
	"io"
	"log"
	"time"

	"example.com/portside/gatelog/intake"
	"example.org/tinlane/plumb/httpd"
	"example.org/tinlane/plumb/loop"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	rejects := flag.Bool("keep-rejects", false, "keep records that cannot be read, for a person to look at")
	flag.Parse()

	var opts []intake.Option
	if *rejects {
		opts = append(opts, intake.KeepRejects(500))
	}
	gates := intake.Open(12, opts...)
	go loop.Every(context.Background(), 2*time.Second, gates.Rotate)

	app := httpd.New("gatelog")
	app.On("POST", "/records/", func(c *httpd.Call) error {
		body, err := io.ReadAll(io.LimitReader(c.R.Body, 1<<12))
		if err != nil {
			return err
		}
		gates.Take(intake.Record{Gate: c.Rest, Line: string(body)})
		return c.Text(202, "taken")
	})
	app.On("GET", "/gates", func(c *httpd.Call) error { return c.JSON(200, gates.Counts()) })
	log.Fatal(app.Serve(*listen))
}
