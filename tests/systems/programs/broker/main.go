// Command broker is a NATS server with pprof.
package main

import (
	"log"
	"net"
	"os"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"

	"example.com/market/telemetry"
)

func main() {
	telemetry.Serve()
	host, text, _ := net.SplitHostPort(os.Getenv("LISTEN_ADDR"))
	port, _ := strconv.Atoi(text)
	s, err := server.NewServer(&server.Options{Host: host, Port: port})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	select {}
}
