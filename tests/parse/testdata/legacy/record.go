//go:build ignore

// Record writes every debug=1 profile of one small process, and the protobuf of the same moment beside it:
//
//	go build -trimpath -o record record.go && ./record DIR
//
// With Go 1.26 add GOEXPERIMENT=goroutineleakprofile for the goroutineleak profile; Go 1.27 has it built in.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"time"
)

type pair[K comparable, V any] struct {
	key   K
	value V
}

var (
	kept   [][]byte
	pairs  []pair[string, []byte]
	custom = pprof.NewProfile("example.com/record.handles")
)

func abandoned(ch chan int) { ch <- 1 }

// The compiler inlines middle and leaf into the goroutine's closure.
func leaf(ch chan int)   { <-ch }
func middle(ch chan int) { leaf(ch) }

//go:noinline
func keep(n, size int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, size))
	}
}

//go:noinline
func fill[K comparable, V any](into *[]pair[K, V], key K, value func() V, n int) {
	for i := 0; i < n; i++ {
		*into = append(*into, pair[K, V]{key, value()})
	}
}

func contend() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 3; i++ {
				mu.Lock()
				time.Sleep(2 * time.Millisecond)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

func write(dir, name string) {
	profile := pprof.Lookup(name)
	if profile == nil {
		return
	}
	file := filepath.Join(dir, filepath.Base(name))
	for _, form := range []struct {
		ending string
		debug  int
	}{{".txt", 1}, {".pb.gz", 0}} {
		f, err := os.Create(file + form.ending)
		if err != nil {
			panic(err)
		}
		if err := profile.WriteTo(f, form.debug); err != nil {
			panic(err)
		}
		f.Close()
	}
}

func main() {
	runtime.MemProfileRate = 4096
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	for i := 0; i < 3; i++ {
		go abandoned(make(chan int))
	}
	for i := 0; i < 2; i++ {
		go func() { middle(make(chan int)) }()
	}
	labels := pprof.Labels("tenant", `a "quoted" name`, "path", "/v1/größe\n")
	pprof.Do(context.Background(), labels, func(context.Context) {
		go func() { select {} }()
	})
	go func() {
		runtime.LockOSThread()
		time.Sleep(time.Hour)
	}()
	custom.Add(&kept, 0)
	custom.Add(&pairs, 0)
	keep(20, 100_000)
	keep(500, 100)
	fill(&pairs, "k", func() []byte { return make([]byte, 3000) }, 40)
	contend()
	time.Sleep(10 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	dir := os.Args[1]
	for _, name := range []string{
		"heap", "goroutine", "goroutineleak", "threadcreate", "block", "mutex", "example.com/record.handles",
	} {
		write(dir, name)
	}
	runtime.KeepAlive(kept)
}
