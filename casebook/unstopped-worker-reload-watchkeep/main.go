// Command watchkeep watches the links of the fleet and tells who is out of reach.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	retire := flag.Bool("retire", false, "retire the monitor before when a configuration is applied")
	svc := gangway.New(gangway.Options{Name: "watchkeep", AccessLog: true, RouteLimit: 5 * time.Second})
	uplink, err := gangway.StartNeighbour(http.HandlerFunc(uplinkPage), 32)
	if err != nil {
		log.Fatal(err)
	}
	keeper := newKeeper(uplink, *retire)
	keeper.apply(loadConfig(0))

	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			keeper.apply(loadConfig(keeper.revision() + 1))
		}
	}()
	sessions := newSessions(svc.Context())

	svc.HandleFunc("/reload", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "POST only", http.StatusMethodNotAllowed)
			return
		}
		keeper.apply(loadConfig(keeper.revision() + 1))
		fmt.Fprintf(w, "revision %d\n", keeper.revision())
	})
	svc.HandleFunc("/links/", func(w http.ResponseWriter, r *http.Request) {
		sessions.seen(r.URL.Path)
		state, err := keeper.ask(r.Context(), r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, state)
	})
	log.Fatal(svc.Run())
}

func uplinkPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(110 * time.Millisecond)
	fmt.Fprintln(w, "in reach")
}
