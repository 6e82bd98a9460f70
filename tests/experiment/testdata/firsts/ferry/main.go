// Ferry asks a harbour over HTTP. Some answers end their connection, others are kept for the next call, a few of them.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"example.com/firsts/serve"
)

func harbour() string {
	mux := http.NewServeMux()
	mux.HandleFunc("/berth", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("leave") != "" {
			w.Header().Set("Connection", "close")
		}
		time.Sleep(time.Millisecond)
		fmt.Fprintln(w, "berth 4")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go (&http.Server{Handler: mux, IdleTimeout: 3 * time.Second}).Serve(listener)
	return "http://" + listener.Addr().String()
}

func main() {
	base := harbour()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 3, IdleConnTimeout: 2 * time.Second}}
	ask := func(ctx context.Context, path string) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, "GET", base+path, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	http.HandleFunc("/crossings", func(w http.ResponseWriter, r *http.Request) {
		errs := make(chan error, 3)
		for _, path := range []string{"/berth", "/berth?leave=1", "/berth"} {
			go func(path string) { errs <- ask(r.Context(), path) }(path)
		}
		for i := 0; i < 3; i++ {
			if err := <-errs; err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
		}
		fmt.Fprintln(w, "crossed")
	})
	serve.Run()
}
