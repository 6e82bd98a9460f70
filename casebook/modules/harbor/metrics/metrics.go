// Package metrics writes what a service knows of itself in the Prometheus text format.
package metrics

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Registry holds the counters of one process.
type Registry struct {
	started time.Time

	mu       sync.Mutex
	requests map[requestKey]uint64
	counters map[string]uint64
	gauges   map[string]func() float64
}

type requestKey struct {
	path string
	code int
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{
		started:  time.Now(),
		requests: make(map[requestKey]uint64),
		counters: make(map[string]uint64),
		gauges:   make(map[string]func() float64),
	}
}

// Request counts one answered request.
func (r *Registry) Request(path string, code int) {
	r.mu.Lock()
	r.requests[requestKey{path, code}]++
	r.mu.Unlock()
}

// Inc adds one to a counter.
func (r *Registry) Inc(name string) {
	r.mu.Lock()
	r.counters[name]++
	r.mu.Unlock()
}

// Gauge registers a value that is read at every scrape.
func (r *Registry) Gauge(name string, read func() float64) {
	r.mu.Lock()
	r.gauges[name] = read
	r.mu.Unlock()
}

// ServeHTTP answers a scrape.
func (r *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	out := bufio.NewWriter(w)
	defer out.Flush()

	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	gauge(out, "go_goroutines", float64(runtime.NumGoroutine()))
	gauge(out, "go_memstats_heap_alloc_bytes", float64(mem.HeapAlloc))
	gauge(out, "go_memstats_heap_inuse_bytes", float64(mem.HeapInuse))
	gauge(out, "go_memstats_heap_idle_bytes", float64(mem.HeapIdle))
	gauge(out, "go_memstats_heap_released_bytes", float64(mem.HeapReleased))
	gauge(out, "go_memstats_heap_sys_bytes", float64(mem.HeapSys))
	gauge(out, "go_memstats_stack_inuse_bytes", float64(mem.StackInuse))
	gauge(out, "go_memstats_sys_bytes", float64(mem.Sys))
	gauge(out, "go_memstats_next_gc_bytes", float64(mem.NextGC))
	gauge(out, "go_memstats_last_gc_time_seconds", float64(mem.LastGC)/1e9)
	fmt.Fprintf(out, "# TYPE go_gc_duration_seconds summary\n")
	fmt.Fprintf(out, "go_gc_duration_seconds_sum %g\n", float64(mem.PauseTotalNs)/1e9)
	fmt.Fprintf(out, "go_gc_duration_seconds_count %d\n", mem.NumGC)
	gauge(out, "process_resident_memory_bytes", resident())
	gauge(out, "process_start_time_seconds", float64(r.started.UnixNano())/1e9)
	r.own(out)
}

func (r *Registry) own(out *bufio.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := make([]requestKey, 0, len(r.requests))
	for key := range r.requests {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].path != keys[j].path {
			return keys[i].path < keys[j].path
		}
		return keys[i].code < keys[j].code
	})
	fmt.Fprintf(out, "# TYPE http_requests_total counter\n")
	for _, key := range keys {
		fmt.Fprintf(out, "http_requests_total{path=%q,code=\"%d\"} %d\n", key.path, key.code, r.requests[key])
	}
	names := make([]string, 0, len(r.counters)+len(r.gauges))
	for name := range r.counters {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "# TYPE %s counter\n%s %d\n", name, name, r.counters[name])
	}
	names = names[:0]
	for name := range r.gauges {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		gauge(out, name, r.gauges[name]())
	}
}

func gauge(out *bufio.Writer, name string, value float64) {
	fmt.Fprintf(out, "# TYPE %s gauge\n%s %s\n", name, name, strconv.FormatFloat(value, 'g', -1, 64))
}

func resident() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize())
}
