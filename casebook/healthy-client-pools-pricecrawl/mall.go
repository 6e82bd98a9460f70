package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Mall is a row of shops, each with an address of its own.
type Mall struct {
	shops []string
}

// OpenMall opens n shops on loopback.
func OpenMall(n int) (*Mall, error) {
	m := &Mall{}
	for i := 0; i < n; i++ {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		m.shops = append(m.shops, "http://"+ln.Addr().String())
		go func(i int) { _ = http.Serve(ln, shop(i)) }(i)
	}
	return m, nil
}

func shop(number int) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/prices/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(200 * time.Millisecond)
		fmt.Fprint(w, strings.Repeat(fmt.Sprintf("shop %d: 9.99\n", number), 50))
	})
	mux.HandleFunc("/catalogue", func(w http.ResponseWriter, r *http.Request) {
		flusher, _ := w.(http.Flusher)
		page := strings.Repeat("lamp, brass, 40 cm; ", 200)
		for i := 0; i < 40 && r.Context().Err() == nil; i++ {
			fmt.Fprint(w, page)
			flusher.Flush()
			time.Sleep(250 * time.Millisecond)
		}
	})
	return mux
}
