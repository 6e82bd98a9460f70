package gangway

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

type sample struct {
	route string
	code  int
}

type meter struct {
	started time.Time

	mu       sync.Mutex
	inFlight int
	served   map[sample]uint64
}

func newMeter() *meter {
	return &meter{started: time.Now(), served: make(map[sample]uint64)}
}

func (m *meter) enter() {
	m.mu.Lock()
	m.inFlight++
	m.mu.Unlock()
}

func (m *meter) leave(route string, code int) {
	m.mu.Lock()
	m.inFlight--
	m.served[sample{route, code}]++
	m.mu.Unlock()
}

func (m *meter) expose(w http.ResponseWriter, r *http.Request) {
	var st runtime.MemStats
	runtime.ReadMemStats(&st)
	var out bytes.Buffer
	gauge := func(name string, value interface{}) {
		fmt.Fprintf(&out, "# TYPE %s gauge\n%s %v\n", name, name, value)
	}
	gauge("go_goroutines", runtime.NumGoroutine())
	gauge("go_memstats_heap_alloc_bytes", st.HeapAlloc)
	gauge("go_memstats_heap_inuse_bytes", st.HeapInuse)
	gauge("go_memstats_heap_idle_bytes", st.HeapIdle)
	gauge("go_memstats_heap_released_bytes", st.HeapReleased)
	gauge("go_memstats_heap_sys_bytes", st.HeapSys)
	gauge("go_memstats_heap_objects", st.HeapObjects)
	gauge("go_memstats_stack_inuse_bytes", st.StackInuse)
	gauge("go_memstats_sys_bytes", st.Sys)
	gauge("go_memstats_next_gc_bytes", st.NextGC)
	gauge("go_memstats_last_gc_time_seconds", float64(st.LastGC)/1e9)
	fmt.Fprintf(&out, "# TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds_sum %v\ngo_gc_duration_seconds_count %d\n",
		float64(st.PauseTotalNs)/1e9, st.NumGC)
	gauge("process_resident_memory_bytes", residentBytes())
	gauge("process_start_time_seconds", float64(m.started.UnixNano())/1e9)

	m.mu.Lock()
	rows := make([]string, 0, len(m.served))
	for k, n := range m.served {
		rows = append(rows, fmt.Sprintf("http_requests_total{path=%q,code=\"%d\"} %d\n", k.route, k.code, n))
	}
	inFlight := m.inFlight
	m.mu.Unlock()
	gauge("http_requests_in_flight", inFlight)
	sort.Strings(rows)
	out.WriteString("# TYPE http_requests_total counter\n" + strings.Join(rows, ""))

	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(out.Bytes())
}

func residentBytes() int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
