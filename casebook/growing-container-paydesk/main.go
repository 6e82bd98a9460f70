// Command paydesk takes payments, each exactly once.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/peer"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	retention := flag.Duration("retention", 10*time.Second, "how long an answer is repeated for the same key")
	flag.Parse()

	bank, err := peer.Local(bankService(), 64)
	if err != nil {
		log.Fatal(err)
	}
	desk := &Desk{
		bank:    bank,
		answers: NewReplay(*retention),
		rates:   NewRates(),
		book:    journal.Open(256),
		permits: make(chan struct{}, 20),
	}
	terminals, err := listenTerminals(desk, 30)
	if err != nil {
		log.Fatal(err)
	}
	app := chassis.New("paydesk",
		chassis.AccessLog(250, time.Second),
		chassis.Recover(),
		chassis.RequestID(),
		chassis.Caller(map[string]string{"till": "till", "web": "web"}),
	)
	app.Route("POST", "/payments/", desk.pay)
	app.Route("GET", "/rates/", desk.quote)
	app.Meter.Gauge("paydesk_terminals", func() float64 { return float64(terminals.connected()) })
	app.Background(desk.answers.Sweep)
	app.Background(desk.rates.Refresh)
	log.Fatal(app.Serve(*listen))
}
