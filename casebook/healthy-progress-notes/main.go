package main

import (
	"net/http"
	"path"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("transcode")
	booth := newBooth(7 * time.Second)
	reels := openReels(45)
	booth.store = reels.store

	svc.Background(booth.collect)
	svc.Route("/clips/", func(w http.ResponseWriter, r *http.Request) {
		note := booth.accept(path.Base(r.URL.Path))
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(note.text + "\n"))
	}, wrap.Deadline(5*time.Second))
	svc.Main()
}
