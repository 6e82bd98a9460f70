// Quotes is the service of `oakum demo`: it asks three suppliers for a price, answers with the first, and leaks the
// goroutines of the other two; it also remembers every customer it has ever seen. Beside that it does what healthy
// services do: a worker pool, a ticker, idle keep-alive connections.
//
// It runs by itself: serves on loopback, sends itself a bounded load, writes its captures into the directory given, exits.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type supplier struct {
	name  string
	delay time.Duration
}

func (s *supplier) ask(item string) string {
	time.Sleep(s.delay)
	return s.name + " sells " + item
}

type desk struct {
	suppliers []*supplier
	mu        sync.Mutex
	customers map[string][]byte
}

// quote returns the first answer. The channel has no buffer and the function returns after one receive: the other
// suppliers wait in their send for ever.
func (d *desk) quote(item string) string {
	answers := make(chan string)
	for _, s := range d.suppliers {
		go func(s *supplier) {
			answers <- s.ask(item)
		}(s)
	}
	return <-answers
}

// remember keeps a page for each customer and never forgets one.
func (d *desk) remember(customer string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.customers[customer]; !ok {
		d.customers[customer] = newPage(customer)
	}
}

func newPage(customer string) []byte {
	page := make([]byte, 32<<10)
	copy(page, customer)
	return page
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.remember(r.URL.Query().Get("customer"))
	fmt.Fprintln(w, d.quote(r.URL.Query().Get("item")))
}

func worker(jobs <-chan int) {
	for range jobs {
		runtime.Gosched()
	}
}

func tick(every time.Duration) {
	for range time.Tick(every) {
		runtime.Gosched()
	}
}

func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

func load(client *http.Client, base string, from, to int) {
	for i := from; i < to; i++ {
		response, err := client.Get(fmt.Sprintf("%s/quote?item=rope&customer=c%d", base, i))
		if err != nil {
			log.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

func capture(dir, moment string) {
	time.Sleep(200 * time.Millisecond)
	runtime.GC()
	write := func(profile, name string, debug int) {
		file, err := os.Create(filepath.Join(dir, moment+"."+name))
		if err != nil {
			log.Fatal(err)
		}
		defer file.Close()
		if err := pprof.Lookup(profile).WriteTo(file, debug); err != nil {
			log.Fatal(err)
		}
	}
	write("heap", "heap.pb.gz", 0)
	write("heap", "heap.txt", 1)
	write("goroutine", "goroutine.pb.gz", 0)
	write("goroutine", "goroutine.txt", 2)
}

func main() {
	runtime.MemProfileRate = 4096
	dir := os.Args[1]
	d := &desk{
		suppliers: []*supplier{{"Alba", time.Millisecond}, {"Boreas", 5 * time.Millisecond}, {"Cirrus", 9 * time.Millisecond}},
		customers: map[string][]byte{},
	}
	jobs := make(chan int)
	for i := 0; i < 8; i++ {
		go worker(jobs)
	}
	go tick(time.Minute)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/quote", logged(d))
	go func() { log.Fatal(http.Serve(listener, mux)) }()
	base := "http://" + listener.Addr().String()
	client := &http.Client{Timeout: 10 * time.Second}
	load(client, base, 0, 40)
	capture(dir, "before")
	load(client, base, 40, 130)
	capture(dir, "during")
	time.Sleep(65 * time.Second) // Go names a wait in minutes only
	runtime.GC()
	load(client, base, 130, 250)
	capture(dir, "after")
}
