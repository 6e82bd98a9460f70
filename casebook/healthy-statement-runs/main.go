package main

import (
	"fmt"
	"net/http"
	"path"
	"time"

	"example.org/harborworks/harbor"
)

func main() {
	svc := harbor.New("statementpress")
	press := &press{slots: make(chan struct{}, 24), pace: 2800 * time.Millisecond}
	archive := openArchive(20)
	runs := &runs{press: press, archive: archive}

	svc.Background(archive.compact)
	svc.Route("/runs/", func(w http.ResponseWriter, r *http.Request) {
		go runs.do(path.Base(r.URL.Path), 70)
		w.WriteHeader(http.StatusAccepted)
	})
	svc.Route("/statements/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, archive.find(path.Base(r.URL.Path)))
	})
	svc.Main()
}
