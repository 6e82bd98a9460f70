// Command postroom renders mails that come from the broker.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/nats-io/nats.go"

	"example.com/market/telemetry"
)

type postroom struct {
	drafts   chan string
	rendered chan string
}

func (p *postroom) render() {
	for draft := range p.drafts {
		if draft == "30" { // not valid: leaves, and nobody starts it again
			return
		}
		p.rendered <- "mail " + draft
	}
}

func (p *postroom) handle(m *nats.Msg) {
	p.drafts <- string(m.Data)
	m.Respond([]byte(<-p.rendered))
}

func main() {
	telemetry.Serve()
	broker, err := nats.Connect(os.Getenv("BROKER"))
	if err != nil {
		log.Fatal(err)
	}
	p := &postroom{drafts: make(chan string), rendered: make(chan string)}
	go p.render()
	if _, err := broker.Subscribe("mails.render", p.handle); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), http.NotFoundHandler()))
}
