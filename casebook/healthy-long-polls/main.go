package main

import (
	"net/http"
	"strings"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("jobboard")
	board := newBoard()
	crews := newCrews(6, 3)

	svc.Background(board.remind)
	svc.Background(crews.dispatch)
	svc.Metrics.Gauge("jobboard_waiting", func() float64 { return float64(board.waiting()) })
	svc.Route("/jobs/next", func(w http.ResponseWriter, r *http.Request) {
		job, ok := board.next(r.Context())
		if !ok {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write([]byte(job + "\n"))
	}, wrap.Deadline(40*time.Second))
	svc.Route("/jobs/", func(w http.ResponseWriter, r *http.Request) {
		board.post(strings.TrimPrefix(r.URL.Path, "/jobs/"))
		w.WriteHeader(http.StatusCreated)
	})
	svc.Main()
}
