// Command mailer has mails rendered by whoever is subscribed, and waits for each.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/nats-io/nats.go"

	"example.com/market/telemetry"
)

type mailer struct{ broker *nats.Conn }

func (m mailer) send(w http.ResponseWriter, r *http.Request) {
	reply, err := m.broker.RequestWithContext(context.WithoutCancel(r.Context()), "mails.render", []byte(r.URL.Query().Get("id")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(reply.Data)
}

func main() {
	telemetry.Serve()
	broker, err := nats.Connect(os.Getenv("BROKER"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/send", mailer{broker}.send)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
