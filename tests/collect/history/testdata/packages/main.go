// Command packages leaks: nobody receives what deliver sends, and labels are kept for ever. Its profiles, as stores of
// the past hand them out, are recorded beside it.
package main

import (
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"
)

var labels [][]byte

func deliver(out chan<- []byte) { out <- make([]byte, 4096) }

func work() {
	for {
		time.Sleep(50 * time.Millisecond)
		go deliver(make(chan []byte))
		labels = append(labels, make([]byte, 64<<10))
	}
}

func main() {
	go work()
	_ = http.ListenAndServe(os.Args[1], nil)
}
