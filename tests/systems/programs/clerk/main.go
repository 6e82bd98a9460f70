// Command clerk takes payments and has them booked.
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/rpc"
	"os"

	"example.com/market/telemetry"
)

type clerk struct{ ledger *rpc.Client }

func (c *clerk) pay(w http.ResponseWriter, r *http.Request) {
	var booked int
	if err := c.ledger.Call("Ledger.Book", "p"+r.URL.Query().Get("id"), &booked); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	fmt.Fprintln(w, booked)
}

func main() {
	telemetry.Serve()
	client, err := rpc.Dial("tcp", os.Getenv("LEDGER_ADDR"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/pay", (&clerk{client}).pay)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
