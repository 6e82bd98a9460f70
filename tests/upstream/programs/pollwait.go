package main // PollUntil that is done leaves the goroutine that ticks for it, until the channel given to it is closed.

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const batch = 1

var every = 100 * time.Millisecond
var stop = make(chan struct{})

func setup() {}

func serve(n int) {
	done := stop
	if mode == "healthy" {
		done = make(chan struct{})
		defer close(done)
	}
	tries := 0
	_ = wait.PollUntil(10*time.Millisecond, func() (bool, error) { tries++; return tries > 1, nil }, done)
}
