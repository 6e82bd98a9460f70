// A program that keeps memory in the ways that leaks do, walks what it keeps, prints how many bytes each structure
// holds in size classes of the allocator, and writes a heap dump.
package main

import (
	"container/list"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"sort"
	"sync"
	"time"
	"unsafe"
)

type session struct {
	user    string
	payload []byte
	next    *session
	owner   *registry
}

type registry struct {
	mu       sync.Mutex
	name     string
	sessions map[string]*session
}

type node struct {
	prev, next *node
	value      [4]int64
}

type report struct {
	lines [][]byte
}

var (
	sessions  = &registry{name: "sessions", sessions: map[string]*session{}}
	history   []*report
	recent    = list.New()
	chain     *node
	cache     sync.Map
	callbacks []func() int
	index     = map[int]*report{}
	order     []*report
)

func fillSessions(n int) {
	for i := 0; i < n; i++ {
		key := fmt.Sprintf("user-%06d", i)
		sessions.sessions[key] = &session{user: key, payload: make([]byte, 300), owner: sessions}
	}
}

func fillHistory(n int) {
	for i := 0; i < n; i++ {
		r := &report{}
		for j := 0; j < 3; j++ {
			r.lines = append(r.lines, make([]byte, 64))
		}
		history = append(history, r)
	}
}

func fillRecent(n int) {
	for i := 0; i < n; i++ {
		recent.PushBack(&node{value: [4]int64{int64(i)}})
	}
}

func fillChain(n int) {
	for i := 0; i < n; i++ {
		one := &node{next: chain}
		if chain != nil {
			chain.prev = one
		}
		chain = one
	}
}

func fillCache(n int) {
	for i := 0; i < n; i++ {
		cache.Store(i, make([]byte, 200))
	}
}

func fillCallbacks(n int) {
	for i := 0; i < n; i++ {
		buffer := make([]byte, 128)
		callbacks = append(callbacks, func() int { return len(buffer) })
	}
}

// An index and a list of the same: neither alone keeps what is in both.
func fillBoth(n int) {
	for i := 0; i < n; i++ {
		one := &report{lines: [][]byte{make([]byte, 400)}}
		index[i] = one
		order = append(order, one)
	}
}

func fillTimers(n int) {
	for i := 0; i < n; i++ {
		one := &held{make([]byte, 500)}
		time.AfterFunc(time.Hour, func() { fmt.Println(len(one.buffer)) })
	}
}

func fillFinalizers(n int) {
	for i := 0; i < n; i++ {
		one := &held{make([]byte, 700)}
		runtime.SetFinalizer(one, func(h *held) { time.Sleep(time.Hour); fmt.Println(len(h.buffer)) })
	}
}

type held struct {
	buffer []byte
}

//go:noinline
func wait(started *sync.WaitGroup, forever chan int, n int) {
	kept := make([][]byte, n)
	for i := range kept {
		kept[i] = make([]byte, 1024)
	}
	started.Done()
	at := <-forever
	fmt.Println(kept[at])
}

var forever = make(chan int)

func fillGoroutines(n int) {
	var started sync.WaitGroup
	started.Add(4)
	for i := 0; i < 4; i++ {
		go wait(&started, forever, n/8)
	}
	started.Wait()
}

var classes []uintptr

// class returns what the allocator gives for so many bytes.
func class(size uintptr) uintptr {
	at := sort.Search(len(classes), func(i int) bool { return classes[i] >= size })
	if at == len(classes) {
		return (size + 8191) &^ 8191
	}
	return classes[at]
}

// walk adds up what is reachable from a value, each block of memory once.
func walk(v reflect.Value, seen map[uintptr]bool) uintptr {
	switch v.Kind() {
	case reflect.Ptr:
		if v.IsNil() || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		return class(v.Type().Elem().Size()) + walk(v.Elem(), seen)
	case reflect.Slice:
		if v.Cap() == 0 || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		size := uintptr(v.Cap()) * v.Type().Elem().Size()
		total := class(size)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return total
		}
		for i := 0; i < v.Len(); i++ {
			total += walk(v.Index(i), seen)
		}
		return total
	case reflect.String:
		s := v.String()
		at := (*[2]uintptr)(unsafe.Pointer(&s))[0]
		if len(s) == 0 || seen[at] {
			return 0
		}
		seen[at] = true
		return class(uintptr(len(s)))
	case reflect.Struct:
		total := uintptr(0)
		for i := 0; i < v.NumField(); i++ {
			total += walk(v.Field(i), seen)
		}
		return total
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return walk(v.Elem(), seen)
	case reflect.Map:
		total := uintptr(0)
		for _, key := range v.MapKeys() {
			total += walk(key, seen) + walk(v.MapIndex(key), seen)
		}
		return total
	}
	return 0
}

func alloc() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// told is what one structure holds: as walked through it (0: it cannot be), and by how much the heap grew with it.
type told struct {
	Walked uintptr `json:"walked"`
	Grown  int64   `json:"grown"`
}

func main() {
	out := flag.String("o", "heap.dump", "where the heap dump is written")
	n := flag.Int("n", 300, "how many of each")
	flag.Parse()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, one := range m.BySize {
		if one.Size > 0 {
			classes = append(classes, uintptr(one.Size))
		}
	}
	for _, large := range []uintptr{20480, 21760, 24576, 27264, 28672, 32768} {
		classes = append(classes, large)
	}
	found := map[string]told{}
	for _, one := range []struct {
		name string
		fill func(int)
		of   interface{}
	}{
		{"main.sessions", fillSessions, nil},
		{"main.history", fillHistory, &history},
		{"main.recent", fillRecent, recent},
		{"main.chain", fillChain, &chain},
		{"main.cache", fillCache, nil},
		{"main.callbacks", fillCallbacks, nil},
		{"main.index + main.order", fillBoth, nil},
		{"timers", fillTimers, nil},
		{"finalizer queue", fillFinalizers, nil},
		{"main.wait", fillGoroutines, nil},
	} {
		before := alloc()
		one.fill(*n)
		grown := alloc() - before
		walked := uintptr(0)
		if one.of != nil {
			walked = walk(reflect.ValueOf(one.of).Elem(), map[uintptr]bool{})
		}
		found[one.name] = told{walked, grown}
	}
	file, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	debug.WriteHeapDump(file.Fd())
	file.Close()
	json.NewEncoder(os.Stdout).Encode(found)
}
