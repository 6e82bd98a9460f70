package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var started = time.Now()

var answered = struct {
	sync.Mutex
	byRoute map[string]int
}{byRoute: map[string]int{}}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(code int) {
	w.status = code
	w.ResponseWriter.WriteHeader(code)
}

func (w *statusWriter) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

// chain wraps a handler in what every route needs.
func chain(h http.Handler) http.Handler { return recovered(counted(h)) }

func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sw := &statusWriter{ResponseWriter: w, status: 200}
		next.ServeHTTP(sw, r)
		answered.Lock()
		answered.byRoute[fmt.Sprintf("path=%q,code=\"%d\"", "/"+strings.Split(r.URL.Path, "/")[1], sw.status)]++
		answered.Unlock()
	})
}

func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				log.Printf("%s: %v", r.URL, v)
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func serveMetrics(a *Archive) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(w, "go_goroutines %d\ngo_gc_duration_seconds_count %d\n", runtime.NumGoroutine(), m.NumGC)
		fmt.Fprintf(w, "go_memstats_heap_alloc_bytes %d\ngo_memstats_heap_inuse_bytes %d\n", m.HeapAlloc, m.HeapInuse)
		fmt.Fprintf(w, "go_memstats_heap_idle_bytes %d\ngo_memstats_heap_released_bytes %d\n", m.HeapIdle, m.HeapReleased)
		fmt.Fprintf(w, "go_memstats_heap_sys_bytes %d\ngo_memstats_stack_inuse_bytes %d\n", m.HeapSys, m.StackInuse)
		fmt.Fprintf(w, "go_memstats_sys_bytes %d\ngo_memstats_next_gc_bytes %d\n", m.Sys, m.NextGC)
		fmt.Fprintf(w, "go_memstats_last_gc_time_seconds %.3f\n", float64(m.LastGC)/1e9)
		var pages, resident int64
		if f, err := os.Open("/proc/self/statm"); err == nil {
			_, _ = fmt.Fscan(f, &pages, &resident)
			_ = f.Close()
		}
		fmt.Fprintf(w, "process_resident_memory_bytes %d\n", resident*int64(os.Getpagesize()))
		fmt.Fprintf(w, "process_start_time_seconds %.2f\n", float64(started.UnixNano())/1e9)
		fmt.Fprintf(w, "coldstore_refused_total %d\n", atomic.LoadUint64(&a.refused))
		answered.Lock()
		defer answered.Unlock()
		for labels, n := range answered.byRoute {
			fmt.Fprintf(w, "http_requests_total{%s} %d\n", labels, n)
		}
	}
}
