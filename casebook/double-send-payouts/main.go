// payouts pays sellers out through a bank's HTTP interface.
package main

import (
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	url, err := startBank()
	if err != nil {
		log.Fatal(err)
	}
	svc := harbor.New("payouts")
	clerk := &Clerk{
		bank:  NewBank(url),
		books: OpenBooks(8),
		audit: NewAudit(),
	}
	svc.Background(clerk.audit.Flush)
	svc.Route("/payouts/", func(w http.ResponseWriter, r *http.Request) {
		account := strings.TrimPrefix(r.URL.Path, "/payouts/")
		if err := clerk.Pay(r.Context(), Order{Account: account, Cents: 4200}); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}, wrap.Deadline(3*time.Second))
	svc.Main()
}
