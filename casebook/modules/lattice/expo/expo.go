// Package expo answers /metrics in the Prometheus text format.
package expo

import (
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

type requestKey struct {
	path string
	code int
}

// Registry counts requests and knows the gauges of the service.
type Registry struct {
	started time.Time

	mu       sync.Mutex
	requests map[requestKey]uint64
	gauges   map[string]func() float64
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{started: time.Now(), requests: map[requestKey]uint64{}, gauges: map[string]func() float64{}}
}

// Request counts one answered request.
func (g *Registry) Request(path string, code int) {
	g.mu.Lock()
	g.requests[requestKey{path, code}]++
	g.mu.Unlock()
}

// Gauge adds a value of the service; read must not wait for anything.
func (g *Registry) Gauge(name string, read func() float64) {
	g.mu.Lock()
	g.gauges[name] = read
	g.mu.Unlock()
}

// ServeHTTP writes all series.
func (g *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var b strings.Builder
	series := func(name, kind string, value float64) {
		fmt.Fprintf(&b, "# TYPE %s %s\n%s %s\n", name, kind, name, strconv.FormatFloat(value, 'g', -1, 64))
	}
	series("go_goroutines", "gauge", float64(runtime.NumGoroutine()))
	fmt.Fprintf(&b, "# TYPE go_info gauge\ngo_info{version=%q} 1\n", runtime.Version())
	fmt.Fprintf(&b, "# TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds_sum %g\ngo_gc_duration_seconds_count %d\n",
		float64(m.PauseTotalNs)/1e9, m.NumGC)
	series("go_memstats_heap_alloc_bytes", "gauge", float64(m.HeapAlloc))
	series("go_memstats_heap_inuse_bytes", "gauge", float64(m.HeapInuse))
	series("go_memstats_heap_idle_bytes", "gauge", float64(m.HeapIdle))
	series("go_memstats_heap_released_bytes", "gauge", float64(m.HeapReleased))
	series("go_memstats_heap_sys_bytes", "gauge", float64(m.HeapSys))
	series("go_memstats_heap_objects", "gauge", float64(m.HeapObjects))
	series("go_memstats_stack_inuse_bytes", "gauge", float64(m.StackInuse))
	series("go_memstats_sys_bytes", "gauge", float64(m.Sys))
	series("go_memstats_next_gc_bytes", "gauge", float64(m.NextGC))
	series("go_memstats_last_gc_time_seconds", "gauge", float64(m.LastGC)/1e9)
	series("process_start_time_seconds", "gauge", float64(g.started.UnixNano())/1e9)
	if rss := residentBytes(); rss > 0 {
		series("process_resident_memory_bytes", "gauge", rss)
	}

	g.mu.Lock()
	keys := make([]requestKey, 0, len(g.requests))
	for k := range g.requests {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].path != keys[j].path {
			return keys[i].path < keys[j].path
		}
		return keys[i].code < keys[j].code
	})
	if len(keys) > 0 {
		b.WriteString("# TYPE http_requests_total counter\n")
	}
	for _, k := range keys {
		fmt.Fprintf(&b, "http_requests_total{path=%q,code=\"%d\"} %d\n", k.path, k.code, g.requests[k])
	}
	names := make([]string, 0, len(g.gauges))
	for name := range g.gauges {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		series(name, "gauge", g.gauges[name]())
	}
	g.mu.Unlock()

	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprint(w, b.String())
}

func residentBytes() float64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize())
}
