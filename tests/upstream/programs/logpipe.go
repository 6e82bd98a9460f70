package main // The writer of a log entry is never closed: the goroutine that reads its pipe stays.

import (
	"log"
	"time"

	"github.com/sirupsen/logrus"
)

const batch = 1

var every = 100 * time.Millisecond

func setup() {}

func serve(n int) {
	w := logrus.WithField("job", n).Writer()
	log.New(w, "", 0).Println("started")
	if mode == "healthy" {
		w.Close()
	}
}
