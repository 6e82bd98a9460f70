package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"strings"
	"time"

	"example.com/coldharbour/bookexport/export"
	"example.org/tinlane/plumb/httpd"
	"example.org/tinlane/plumb/loop"
)

var (
	listen = flag.String("listen", "127.0.0.1:8080", "address")
	quota  = flag.Int("quota", 400, "rows that one export may have")
)

func main() {
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.Lmsgprefix)

	books := export.OpenBooks(24)
	exporter := &export.Exporter{Books: books, Quota: *quota}
	mail := newMailroom(16)
	go loop.Every(context.Background(), 700*time.Millisecond, books.Compact)

	app := httpd.New("bookexport", httpd.WithStep(httpd.Within(5*time.Second)))
	app.On("GET", "/exports/", func(c *httpd.Call) error {
		period, ref, _ := strings.Cut(c.Rest, "/")
		sheet, err := exporter.Run(c.Ctx(), period)
		var over export.OverQuota
		switch {
		case errors.As(err, &over):
			mail.send(ref, over.Error())
			return httpd.Problem{Code: 413, Text: over.Error()}
		case err != nil:
			return err
		}
		return c.Text(200, "%s: %d bytes", ref, len(sheet))
	})
	log.Fatal(app.Serve(*listen))
}
