// Command accounts keeps balances. Closing an account settles its bills first.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	"example.com/market/telemetry"
)

type account struct {
	mu      sync.Mutex
	balance int
}

type accounts struct{ all [8]account }

func (a *accounts) of(r *http.Request) *account {
	var n int
	fmt.Sscan(r.URL.Query().Get("id"), &n)
	return &a.all[n%len(a.all)]
}

func (a *accounts) balance(w http.ResponseWriter, r *http.Request) {
	one := a.of(r)
	one.mu.Lock()
	defer one.mu.Unlock()
	fmt.Fprintln(w, one.balance)
}

func (a *accounts) close(w http.ResponseWriter, r *http.Request) {
	one := a.of(r)
	one.mu.Lock()
	defer one.mu.Unlock()
	resp, err := http.Post("http://"+os.Getenv("BILLING_ADDR")+"/settle?id="+r.URL.Query().Get("id"), "text/plain", nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
	one.balance = 0
}

func main() {
	telemetry.Serve()
	a := &accounts{}
	mux := http.NewServeMux()
	mux.HandleFunc("/balance", a.balance)
	mux.HandleFunc("/close", a.close)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
