package main

import (
	"net"
	"net/http"
	"time"
)

// startReceiver serves the customer's side, which takes its time.
func startReceiver(pace time.Duration) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(pace)
		w.WriteHeader(http.StatusNoContent)
	})
	go func() { _ = http.Serve(ln, h) }()
	return "http://" + ln.Addr().String() + "/hook", nil
}
