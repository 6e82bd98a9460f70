package main

import (
	"log"
	"net"
	"time"

	"example.org/halyard/tidefeed"
)

var gaugeNames = []string{
	"outer-mole", "inner-mole", "fishery", "coal-quay", "grain-quay", "lock-east", "lock-west", "basin-1", "basin-2",
	"basin-3", "river-mouth", "bridge", "dockyard", "slipway",
}

// serveGauges stands in for the gauge server of the port authority.
func serveGauges(pace time.Duration) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				if err := tidefeed.Publish(conn, gaugeNames, pace); err != nil {
					log.Printf("gauges: %v", err)
				}
			}()
		}
	}()
	return ln.Addr().String(), nil
}
