// Command unruly keeps a goroutine for each order, until something happens to it: it dies, is restarted by who started
// it, has too much to do, or takes no more connections.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
)

type book struct {
	what     string
	after    int64
	taken    atomic.Int64
	listener net.Listener
}

func (b *book) order(w http.ResponseWriter, r *http.Request) {
	if b.taken.Add(1) > b.after {
		switch b.what {
		case "dies", "restarts":
			os.Exit(3)
		case "throttles":
			http.Error(w, "too many orders", http.StatusTooManyRequests)
			return
		case "refuses":
			b.listener.Close()
			panic(http.ErrAbortHandler)
		}
	}
	answers := make(chan string)
	go b.quote(answers)
	fmt.Fprintln(w, "taken")
}

func (b *book) quote(answers chan<- string) {
	answers <- "a quote that nobody reads"
}

// supervise starts the program again whenever it ends, as a container runtime does.
func supervise() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	words := os.Args[1:]
	for ctx.Err() == nil {
		command := exec.CommandContext(ctx, os.Args[0], append([]string{"-supervised"}, words...)...)
		command.Stderr = os.Stderr
		command.Run()
	}
}

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address of the service")
	debug := flag.String("debug", "127.0.0.1:6060", "address of its pprof")
	what := flag.String("what", "", "what happens: dies, restarts, throttles, refuses")
	after := flag.Int64("after", 70, "orders until it happens")
	supervised := flag.Bool("supervised", false, "it is started again when it ends")
	flag.Parse()
	if *what == "restarts" && !*supervised {
		supervise()
		return
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	b := &book{what: *what, after: *after, listener: listener}
	debugging := http.NewServeMux()
	debugging.HandleFunc("/debug/pprof/", pprof.Index)
	go func() { log.Fatal(http.ListenAndServe(*debug, debugging)) }()
	orders := http.NewServeMux()
	orders.HandleFunc("/orders", b.order)
	log.Print(http.Serve(listener, orders))
	select {} // its pprof goes on
}
