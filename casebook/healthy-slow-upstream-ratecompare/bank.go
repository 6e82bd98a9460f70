package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Bank computes offers on an old machine.
type Bank struct {
	base string
}

// OpenBank opens the bank's test desk.
func OpenBank() (*Bank, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/offer/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(3000+len(r.URL.Path)%7*700) * time.Millisecond)
		fmt.Fprintf(w, "%s 3.%d %%", strings.TrimPrefix(r.URL.Path, "/offer/"), len(r.URL.Path)%10)
	})
	go func() { _ = http.Serve(ln, mux) }()
	return &Bank{base: "http://" + ln.Addr().String()}, nil
}
