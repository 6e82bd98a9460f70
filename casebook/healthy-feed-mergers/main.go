package main

import (
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	licence := flag.Int("feeds", 22, "feeds that we may take at once")
	flag.Parse()

	source, err := startSource()
	if err != nil {
		log.Fatal(err)
	}
	desk := newDesk(source.addr(), *licence)
	app := httpd.New("feedmerge")
	app.On("POST", "/feeds/", func(c *httpd.Call) error {
		if err := desk.attach(c.Rest); err != nil {
			return httpd.Problem{Code: 409, Text: err.Error()}
		}
		return c.Text(201, "attached")
	})
	app.On("GET", "/merged", func(c *httpd.Call) error { return c.Text(200, "%d", desk.merged()) })

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		os.Exit(0)
	}()
	go func() { log.Fatal(app.Serve(*listen)) }()
	select {}
}
