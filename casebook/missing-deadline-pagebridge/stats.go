package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"
)

type stats struct {
	start time.Time
	mu    sync.Mutex
	codes map[string]int
	slow  []time.Duration
}

func newStats() *stats { return &stats{start: time.Now(), codes: make(map[string]int)} }

type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

func (s *stats) observe(path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{w, http.StatusOK}
		next.ServeHTTP(rec, r)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.codes[fmt.Sprintf(`http_requests_total{path="%s",code="%d"}`, path, rec.code)]++
		s.slow = append(s.slow, time.Since(began))
	})
}

// summarise keeps the last minute of latencies small.
func (s *stats) summarise() {
	for range time.NewTicker(2 * time.Second).C {
		histogram := make([]uint64, 160<<10)
		s.mu.Lock()
		for _, d := range s.slow {
			histogram[int(d/time.Millisecond)%len(histogram)]++
		}
		s.slow = s.slow[:0]
		s.mu.Unlock()
	}
}

func (s *stats) metrics(w http.ResponseWriter, _ *http.Request) {
	m := &runtime.MemStats{}
	runtime.ReadMemStats(m)
	put := func(name string, v interface{}) { fmt.Fprintf(w, "# TYPE %s gauge\n%s %v\n", name, name, v) }
	put("go_goroutines", runtime.NumGoroutine())
	put("go_gc_duration_seconds_count", m.NumGC)
	put("go_memstats_heap_alloc_bytes", m.HeapAlloc)
	put("go_memstats_heap_inuse_bytes", m.HeapInuse)
	put("go_memstats_heap_idle_bytes", m.HeapIdle)
	put("go_memstats_heap_released_bytes", m.HeapReleased)
	put("go_memstats_heap_sys_bytes", m.HeapSys)
	put("go_memstats_stack_inuse_bytes", m.StackInuse)
	put("go_memstats_sys_bytes", m.Sys)
	put("go_memstats_next_gc_bytes", m.NextGC)
	put("go_memstats_last_gc_time_seconds", float64(m.LastGC)/1e9)
	put("process_start_time_seconds", float64(s.start.UnixNano())/1e9)
	if f, err := os.Open("/proc/self/statm"); err == nil {
		var total, resident int
		if _, err := fmt.Fscan(f, &total, &resident); err == nil {
			put("process_resident_memory_bytes", resident*os.Getpagesize())
		}
		f.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for series, n := range s.codes {
		_, _ = io.WriteString(w, fmt.Sprintf("%s %d\n", series, n))
	}
}

func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				log.Printf("%s %s: %v", r.Method, r.URL.Path, p)
				panic(p)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
