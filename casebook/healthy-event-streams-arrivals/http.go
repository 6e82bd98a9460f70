package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

var (
	up     = time.Now()
	served sync.Map // series -> *int
	tally  sync.Mutex
)

type capture struct {
	http.ResponseWriter
	code int
}

func (c *capture) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

func (c *capture) Flush() { c.ResponseWriter.(http.Flusher).Flush() }

func counted(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &capture{w, 200}
		next.ServeHTTP(c, r)
		n, _ := served.LoadOrStore(fmt.Sprintf("http_requests_total{path=%q,code=\"%d\"}", route, c.code), new(int))
		tally.Lock()
		*n.(*int)++
		tally.Unlock()
	})
}

func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "crawler") {
			http.Error(w, "no robots", http.StatusForbidden)
			return
		}
		defer func() {
			if p := recover(); p != nil {
				log.Print("panic: ", p)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func metrics(t *Tower) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		var a, b int64
		if f, err := os.Open("/proc/self/statm"); err == nil {
			_, _ = fmt.Fscan(f, &a, &b)
			_ = f.Close()
		}
		fmt.Fprintf(w, `go_goroutines %d
go_gc_duration_seconds_count %d
go_memstats_heap_alloc_bytes %d
go_memstats_heap_inuse_bytes %d
go_memstats_heap_idle_bytes %d
go_memstats_heap_released_bytes %d
go_memstats_heap_sys_bytes %d
go_memstats_stack_inuse_bytes %d
go_memstats_sys_bytes %d
go_memstats_next_gc_bytes %d
go_memstats_last_gc_time_seconds %f
process_resident_memory_bytes %d
process_start_time_seconds %f
arrivals_viewers %d
`, runtime.NumGoroutine(), s.NumGC, s.HeapAlloc, s.HeapInuse, s.HeapIdle, s.HeapReleased, s.HeapSys, s.StackInuse,
			s.Sys, s.NextGC, float64(s.LastGC)/1e9, b*int64(os.Getpagesize()), float64(up.UnixNano())/1e9, t.Viewers())
		served.Range(func(series, n interface{}) bool {
			tally.Lock()
			defer tally.Unlock()
			fmt.Fprintf(w, "%s %d\n", series, *n.(*int))
			return true
		})
	}
}
