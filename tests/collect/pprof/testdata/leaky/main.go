// Leaky is a server whose goroutines wait for an answer that never comes, and its pprof: at a prefix, behind mutual TLS,
// on a unix socket, with single handlers and no index. It prints its address, and ends with its standard input.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

var (
	listen  = flag.String("listen", "127.0.0.1:0", "address, or the path of a unix socket")
	prefix  = flag.String("prefix", "/debug/pprof", "where pprof is mounted")
	only    = flag.String("only", "", "mount these profiles alone, and no index: goroutine,heap")
	metrics = flag.String("metrics", "", "where metrics are served")
	cert    = flag.String("cert", "", "certificate and key of the server")
	ca      = flag.String("ca", "", "who signs the certificates of clients, which then must have one")
	leaked  = flag.Int("leaked", 40, "goroutines that wait at the start")
	depth   = flag.Int("depth", 8, "calls that each is deep in")
)

var kept [][]byte
var began = time.Now()
var longest atomic.Int64 // nanoseconds that the program stood still

func main() {
	flag.Parse()
	for i := 0; i < *leaked; i++ {
		go ask(i)
	}
	go watchClock()
	mux := http.NewServeMux()
	mount(mux)
	mux.HandleFunc("/leak", func(w http.ResponseWriter, r *http.Request) {
		more, _ := strconv.Atoi(r.URL.Query().Get("n"))
		for i := 0; i < more; i++ {
			kept = append(kept, make([]byte, 64<<10))
			go ask(i)
		}
	})
	mux.HandleFunc("/standstill", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, time.Duration(longest.Swap(0)))
	})
	if *metrics != "" {
		mux.HandleFunc(*metrics, scraped)
	}
	mux.HandleFunc("/version", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"version": "1.4.2", "goVersion": %q}`, runtime.Version())
	})
	network := "tcp"
	if strings.HasPrefix(*listen, "/") {
		network = "unix"
	}
	listener, err := net.Listen(network, *listen)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0)}
	fmt.Println(listener.Addr())
	if *cert == "" {
		go server.Serve(listener)
	} else {
		if *ca != "" {
			pool := x509.NewCertPool()
			pem, err := os.ReadFile(*ca)
			if err != nil || !pool.AppendCertsFromPEM(pem) {
				log.Fatal("no authority in ", *ca)
			}
			server.TLSConfig = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
		}
		go func() { log.Fatal(server.ServeTLS(listener, *cert, *cert)) }()
	}
	io.Copy(io.Discard, os.Stdin)
}

func mount(mux *http.ServeMux) {
	if *only == "" {
		mux.HandleFunc(*prefix+"/", pprof.Index)
	}
	names := []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"}
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	if *prefix == "/debug/pprof" && *only == "" {
		return // the index serves them all
	}
	for _, name := range names {
		mux.Handle(*prefix+"/"+name, pprof.Handler(name))
	}
}

func ask(i int) {
	answers := make(chan int) // nobody sends
	wait(answers, *depth)
}

//go:noinline
func wait(answers chan int, deep int) int {
	if deep > 0 {
		return wait(answers, deep-1) + 1
	}
	return <-answers
}

func watchClock() {
	last := time.Now()
	for range time.Tick(200 * time.Microsecond) {
		now := time.Now()
		if gap := now.Sub(last); int64(gap) > longest.Load() {
			longest.Store(int64(gap))
		}
		last = now
	}
}

func scraped(w http.ResponseWriter, r *http.Request) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Fprintf(w, "# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(w, "# TYPE go_info gauge\ngo_info{version=%q} 1\n", runtime.Version())
	fmt.Fprintf(w, "# TYPE go_memstats_heap_alloc_bytes gauge\ngo_memstats_heap_alloc_bytes %e\n", float64(stats.HeapAlloc))
	fmt.Fprintf(w, "# TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds_count %d\n", stats.NumGC)
	fmt.Fprintf(w, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %.3f\n", float64(began.UnixMilli())/1e3)
}
