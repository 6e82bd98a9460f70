// Command desk asks another service for each of its requests: PATH of UPSTREAM.
package main

import (
	"io"
	"log"
	"net/http"
	"os"

	"example.com/market/telemetry"
)

type desk struct{ upstream string }

func (d desk) forward(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get(d.upstream + "?id=" + r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func main() {
	telemetry.Serve()
	mux := http.NewServeMux()
	mux.HandleFunc("/ask", desk{os.Getenv("UPSTREAM")}.forward)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
