// Sells seats. From /open on, so many orders a second wait forever for a seat that nobody hands out, each with its form.
// By the clock, not by requests: memory grows as evenly on a busy machine as on another one.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strings"
	"sync"
	"time"
)

type order struct {
	seat chan int
	form []byte
}

func (o *order) wait() {
	o.seat <- 1
	log.Print(len(o.form))
}

func sell(perSecond float64, size int) {
	began, sold := time.Now(), 0
	for range time.Tick(20 * time.Millisecond) {
		for due := int(perSecond * time.Since(began).Seconds()); sold < due; sold++ {
			one := &order{seat: make(chan int), form: make([]byte, size)}
			for at := 0; at < size; at += 512 {
				one.form[at] = 1
			}
			go one.wait()
		}
	}
}

// resident returns the resident memory, as the kernel counts it.
func resident() int {
	var total, pages int
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(string(text), &total, &pages)
	return pages * os.Getpagesize()
}

func main() {
	listen := flag.String("listen", "", "HOST:PORT, or the path of a socket")
	perSecond := flag.Float64("orders", 5, "orders a second that are never served")
	size := flag.Int("form", 512<<10, "bytes of an order")
	limit := flag.Int("limit", 0, "bytes of memory above which it ends as if it had been killed; 0: the kernel knows")
	flag.Parse()
	began := time.Now()
	var once sync.Once
	http.HandleFunc("/open", func(http.ResponseWriter, *http.Request) { once.Do(func() { go sell(*perSecond, *size) }) })
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "process_resident_memory_bytes %d\nprocess_start_time_seconds %.2f\n", resident(), float64(began.UnixMilli())/1e3)
		if *limit > 0 {
			fmt.Fprintf(w, "go_gc_gomemlimit_bytes %d\n", *limit)
		}
	})
	if *limit > 0 {
		go func() {
			for range time.Tick(20 * time.Millisecond) {
				if resident() >= *limit {
					os.Exit(137)
				}
			}
		}()
	}
	network := "tcp"
	if strings.HasPrefix(*listen, "/") {
		network = "unix"
	}
	listener, err := net.Listen(network, *listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, nil))
}
