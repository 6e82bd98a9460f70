//go:build go1.25

package main

import (
	"os"
	"testing"
	"testing/synctest"
)

// TestBubble writes the stacks of goroutines in a synctest bubble to the file that ZOO_BUBBLE names.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		for i := 0; i < 2; i++ {
			go awaitReply(make(chan event))
		}
		go sleepForever()
		synctest.Wait()
		fail(os.WriteFile(os.Getenv("ZOO_BUBBLE"), allStacks(), 0o644))
		os.Exit(0) // the bubble may not end while goroutines wait in it
	})
}
