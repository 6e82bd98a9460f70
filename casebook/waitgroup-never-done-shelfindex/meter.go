package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

type meter struct {
	born time.Time
	mu   sync.Mutex
	seen map[[2]string]int
}

func newMeter() *meter { return &meter{born: time.Now(), seen: make(map[[2]string]int)} }

func (m *meter) count(path string, code int) {
	m.mu.Lock()
	m.seen[[2]string{"/" + strings.SplitN(path, "/", 3)[1], strconv.Itoa(code)}]++
	m.mu.Unlock()
}

func (m *meter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	out := &bytes.Buffer{}
	for _, line := range []struct {
		name string
		v    uint64
	}{
		{"go_goroutines", uint64(runtime.NumGoroutine())},
		{"go_memstats_heap_alloc_bytes", ms.HeapAlloc},
		{"go_memstats_heap_inuse_bytes", ms.HeapInuse},
		{"go_memstats_heap_idle_bytes", ms.HeapIdle},
		{"go_memstats_heap_released_bytes", ms.HeapReleased},
		{"go_memstats_heap_sys_bytes", ms.HeapSys},
		{"go_memstats_stack_inuse_bytes", ms.StackInuse},
		{"go_memstats_sys_bytes", ms.Sys},
		{"go_memstats_next_gc_bytes", ms.NextGC},
		{"go_memstats_last_gc_time_seconds", ms.LastGC / 1e9},
		{"go_gc_duration_seconds_count", uint64(ms.NumGC)},
		{"process_start_time_seconds", uint64(m.born.Unix())},
		{"process_resident_memory_bytes", rss()},
	} {
		fmt.Fprintf(out, "# TYPE %s gauge\n%s %d\n", line.name, line.name, line.v)
	}
	m.mu.Lock()
	for k, n := range m.seen {
		fmt.Fprintf(out, "http_requests_total{path=%q,code=%q} %d\n", k[0], k[1], n)
	}
	m.mu.Unlock()
	_, _ = w.Write(out.Bytes())
}

func rss() uint64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	words := strings.Fields(string(raw))
	pages, _ := strconv.ParseUint(words[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}
