// Command billing settles what an account owes.
package main

import (
	"io"
	"log"
	"net/http"
	"os"

	"example.com/market/telemetry"
)

func settle(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get("http://" + os.Getenv("ACCOUNTS_ADDR") + "/balance?id=" + r.URL.Query().Get("id"))
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
	mux.HandleFunc("/settle", settle)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
