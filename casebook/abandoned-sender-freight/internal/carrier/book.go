package carrier

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"
)

// Book is the price book that stands beside the service.
type Book struct {
	ln net.Listener
}

// StartBook serves a price book on a port of its own.
func StartBook() (*Book, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &Book{ln: ln}
	mux := http.NewServeMux()
	mux.HandleFunc("/price/", b.price)
	go func() { _ = http.Serve(ln, mux) }()
	return b, nil
}

// URL returns where it is served.
func (b *Book) URL() string { return "http://" + b.ln.Addr().String() }

func (b *Book) price(w http.ResponseWriter, r *http.Request) {
	lane := strings.Split(strings.TrimPrefix(r.URL.Path, "/price/"), "/")[0]
	cents := 12900
	if lane == "transpacific" {
		time.Sleep(1700 * time.Millisecond)
		cents = 248000
	}
	_ = json.NewEncoder(w).Encode(Price{Lane: lane, Cents: cents})
}
