// Package meter keeps the numbers of a process and shows them as Prometheus text.
package meter

import (
	"bytes"
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

var born = time.Now()

type requestKey struct {
	path string
	code int
}

// A Registry has the request counts and the gauges of one service.
type Registry struct {
	mu       sync.Mutex
	requests map[requestKey]int64
	gauges   map[string]func() float64
}

// NewRegistry returns an empty Registry.
func NewRegistry() *Registry {
	return &Registry{requests: make(map[requestKey]int64), gauges: make(map[string]func() float64)}
}

// Request counts one answered request.
func (m *Registry) Request(path string, code int) {
	m.mu.Lock()
	m.requests[requestKey{path, code}]++
	m.mu.Unlock()
}

// Gauge shows what read returns under name.
func (m *Registry) Gauge(name string, read func() float64) {
	m.mu.Lock()
	m.gauges[name] = read
	m.mu.Unlock()
}

// ServeHTTP writes all numbers.
func (m *Registry) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	m.runtime(&out)
	m.own(&out)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(out.Bytes())
}

func (m *Registry) runtime(out *bytes.Buffer) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	gauge := func(name string, v float64) {
		fmt.Fprintf(out, "# TYPE %s gauge\n%s %s\n", name, name, number(v))
	}
	counter := func(name string, v float64) {
		fmt.Fprintf(out, "# TYPE %s counter\n%s %s\n", name, name, number(v))
	}
	fmt.Fprintf(out, "# TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds_sum %s\ngo_gc_duration_seconds_count %d\n",
		number(float64(s.PauseTotalNs)/1e9), s.NumGC)
	gauge("go_goroutines", float64(runtime.NumGoroutine()))
	fmt.Fprintf(out, "# TYPE go_info gauge\ngo_info{version=%q} 1\n", runtime.Version())
	gauge("go_memstats_alloc_bytes", float64(s.Alloc))
	counter("go_memstats_alloc_bytes_total", float64(s.TotalAlloc))
	counter("go_memstats_frees_total", float64(s.Frees))
	gauge("go_memstats_gc_sys_bytes", float64(s.GCSys))
	gauge("go_memstats_heap_alloc_bytes", float64(s.HeapAlloc))
	gauge("go_memstats_heap_idle_bytes", float64(s.HeapIdle))
	gauge("go_memstats_heap_inuse_bytes", float64(s.HeapInuse))
	gauge("go_memstats_heap_objects", float64(s.HeapObjects))
	gauge("go_memstats_heap_released_bytes", float64(s.HeapReleased))
	gauge("go_memstats_heap_sys_bytes", float64(s.HeapSys))
	gauge("go_memstats_last_gc_time_seconds", float64(s.LastGC)/1e9)
	counter("go_memstats_mallocs_total", float64(s.Mallocs))
	gauge("go_memstats_next_gc_bytes", float64(s.NextGC))
	gauge("go_memstats_other_sys_bytes", float64(s.OtherSys))
	gauge("go_memstats_stack_inuse_bytes", float64(s.StackInuse))
	gauge("go_memstats_stack_sys_bytes", float64(s.StackSys))
	gauge("go_memstats_sys_bytes", float64(s.Sys))
	gauge("process_resident_memory_bytes", resident())
	gauge("process_start_time_seconds", float64(born.UnixNano())/1e9)
}

func (m *Registry) own(out *bytes.Buffer) {
	m.mu.Lock()
	keys := make([]requestKey, 0, len(m.requests))
	for k := range m.requests {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].path != keys[j].path {
			return keys[i].path < keys[j].path
		}
		return keys[i].code < keys[j].code
	})
	out.WriteString("# TYPE http_requests_total counter\n")
	for _, k := range keys {
		fmt.Fprintf(out, "http_requests_total{path=%q,code=\"%d\"} %d\n", k.path, k.code, m.requests[k])
	}
	names := make([]string, 0, len(m.gauges))
	reads := make(map[string]func() float64, len(m.gauges))
	for name, read := range m.gauges {
		names = append(names, name)
		reads[name] = read
	}
	m.mu.Unlock()
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "# TYPE %s gauge\n%s %s\n", name, name, number(reads[name]()))
	}
}

func number(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
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
