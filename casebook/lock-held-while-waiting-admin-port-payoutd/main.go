// Command payoutd keeps the accounts of agents and pays them out.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"path"
	"runtime/pprof"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "payoutd", AdminPrefix: "/ops/payoutd"})
	rates, err := gangway.StartNeighbour(http.HandlerFunc(rateSheet), 20)
	if err != nil {
		log.Fatal(err)
	}
	trail := newTrail(24)
	go trail.write(svc.Context())
	desk := &desk{ledger: newLedger(trail), rates: rates}
	for i := 0; i < 14; i++ {
		go desk.statements(svc.Context(), i)
	}

	svc.Handle("/payouts/", labelled("payouts", desk.payout))
	svc.Handle("/balance/", labelled("balance", desk.balance))
	svc.Handle("/fees/", labelled("fees", desk.fees))
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

// labelled makes a handler's goroutines show up under its name in profiles.
func labelled(name string, h func(http.ResponseWriter, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tier := "silver"
		if len(path.Base(r.URL.Path))%3 == 0 {
			tier = "gold"
		}
		pprof.Do(r.Context(), pprof.Labels("handler", name, "tier", tier), func(ctx context.Context) {
			h(w, r.WithContext(ctx))
		})
	})
}

func rateSheet(w http.ResponseWriter, r *http.Request) {
	time.Sleep(70 * time.Millisecond)
	fmt.Fprintln(w, "1.75 %")
}
