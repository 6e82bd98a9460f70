package main

import (
	"net/http"
	"strings"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("bulletin")
	press := startPress()
	desk := &desk{press: press}
	for _, topic := range topics() {
		desk.subscribe(topic, byPush)
	}
	svc.Background(press.roll)
	svc.Route("/subscriptions/", func(w http.ResponseWriter, r *http.Request) {
		parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/subscriptions/"), "/", 2)
		if len(parts) != 2 {
			http.NotFound(w, r)
			return
		}
		kind := byPush
		if parts[0] == "digest" {
			kind = byDigest
		}
		desk.subscribe(wrap.CallerOf(r.Context())+"/"+parts[1], kind)
		w.WriteHeader(http.StatusCreated)
	})
	svc.Route("/news/", func(w http.ResponseWriter, r *http.Request) {
		press.print(strings.TrimPrefix(r.URL.Path, "/news/"))
		w.WriteHeader(http.StatusAccepted)
	})
	svc.Main()
}
