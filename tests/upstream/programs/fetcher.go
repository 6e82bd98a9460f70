package main // Each Fetch registers a listener for the state of the connection and never takes it back.

import (
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const batch = 20

var every = 100 * time.Millisecond
var sub *nats.Subscription
var js nats.JetStreamContext

func setup() {
	dir, _ := os.MkdirTemp("", "js")
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir})
	must(err)
	go s.Start()
	s.ReadyForConnections(10 * time.Second)
	nc, err := nats.Connect(s.ClientURL())
	must(err)
	js, err = nc.JetStream()
	must(err)
	_, err = js.AddStream(&nats.StreamConfig{Name: "ORDERS", Subjects: []string{"orders"}, Storage: nats.MemoryStorage, MaxMsgs: 200})
	must(err)
	sub, err = js.PullSubscribe("orders", "worker")
	must(err)
}

func serve(n int) {
	js.Publish("orders", []byte("x"))
	msgs, _ := sub.Fetch(1, nats.MaxWait(time.Second))
	for _, m := range msgs {
		m.Ack()
	}
}
