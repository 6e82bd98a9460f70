// Command harbourhub is what every office of the harbour talks to.
package main

import (
	"fmt"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "harbourhub", AccessLog: true, RouteLimit: 6 * time.Second})
	ctx := svc.Context()
	register, err := gangway.StartNeighbour(http.HandlerFunc(registerPage), 24)
	if err != nil {
		log.Fatal(err)
	}
	hub := &hub{
		offices:  newOffices(ctx),
		stream:   newStream(16),
		carters:  newCarters(ctx, 4, 36),
		tariffs:  newTariffs(60),
		register: register,
	}
	go gangway.Every(ctx, 3*time.Second, hub.stream.rebalance)
	go gangway.Every(ctx, 4*time.Second, hub.carters.scale)

	svc.HandleFunc("/calls/", hub.call)
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

type hub struct {
	offices  *offices
	stream   *stream
	carters  *carters
	tariffs  *tariffs
	register *gangway.Neighbour
}

func (h *hub) call(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	entry, err := h.register.Get(r.Context(), "/ships/"+name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	office := h.offices.of(name)
	office.tell(string(entry))
	h.stream.publish(name)
	h.carters.cart(func() { h.tariffs.price(name) })
	fmt.Fprintf(w, "%s is with office %d\n", name, office.number)
}

func registerPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(90 * time.Millisecond)
	fmt.Fprintf(w, "%s 48000 GT\n", path.Base(r.URL.Path))
}
