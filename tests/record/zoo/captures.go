package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

func writeProfile(dir, name string, debug int, file string) {
	profile := pprof.Lookup(name)
	if profile == nil {
		return
	}
	var out bytes.Buffer
	fail(profile.WriteTo(&out, debug))
	fail(os.WriteFile(filepath.Join(dir, file), out.Bytes(), 0o644))
}

func allStacks() []byte {
	buffer := make([]byte, 4<<20)
	return buffer[:runtime.Stack(buffer, true)]
}

// contend makes two goroutines meet at a lock and a channel, so that both profiles have something to say.
//
//go:noinline
func contend() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	var mu sync.Mutex
	var done sync.WaitGroup
	results := make(chan int)
	for i := 0; i < 2; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for j := 0; j < 20; j++ {
				holdLock(&mu)
			}
			results <- 1
		}()
	}
	awaitResult(results)
	awaitResult(results)
	done.Wait()
	known.Contended = []string{"main.holdLock"}
}

//go:noinline
func awaitResult(results chan int) int { return <-results }

//go:noinline
func holdLock(mu *sync.Mutex) {
	mu.Lock()
	time.Sleep(time.Millisecond)
	mu.Unlock()
}

//go:noinline
func burn(duration time.Duration) (sum int) {
	for end := time.Now().Add(duration); time.Now().Before(end); {
		for i := 0; i < 1000; i++ {
			sum += i * i
		}
	}
	return sum
}

func writeCPU(dir string) {
	var out bytes.Buffer
	fail(pprof.StartCPUProfile(&out))
	burn(400 * time.Millisecond)
	pprof.StopCPUProfile()
	fail(os.WriteFile(filepath.Join(dir, "cpu.pb.gz"), out.Bytes(), 0o644))
	known.Burning = "main.burn"
}

func writeTrace(dir string) {
	var out bytes.Buffer
	fail(trace.Start(&out))
	time.Sleep(5 * time.Millisecond)
	trace.Stop()
	fail(os.WriteFile(filepath.Join(dir, "trace.out"), out.Bytes(), 0o644))
}

func heapFigures(at int) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	known.NumGC[at], known.HeapSys[at] = stats.NumGC, stats.HeapSys
}

// writeAll takes every capture. Looking for leaks comes last: it marks goroutines for good.
func writeAll(dir string) {
	known.Begun = time.Now().UTC()
	known.Goroutines = runtime.NumGoroutine() + 1 // the finalizers' goroutine, which stands in our code
	writeProfile(dir, "goroutine", 0, "goroutine.pb.gz")
	writeProfile(dir, "goroutine", 1, "goroutine.debug1.txt")
	writeProfile(dir, "goroutine", 2, "goroutine.debug2.txt")
	fail(os.WriteFile(filepath.Join(dir, "stack.txt"), allStacks(), 0o644))
	writeProfile(dir, "threadcreate", 0, "threadcreate.pb.gz")
	writeProfile(dir, "threadcreate", 1, "threadcreate.debug1.txt")

	contend()
	for _, name := range []string{"block", "mutex"} {
		writeProfile(dir, name, 0, name+".pb.gz")
		writeProfile(dir, name, 1, name+".debug1.txt")
	}
	runtime.SetBlockProfileRate(0)
	runtime.SetMutexProfileFraction(0) // not before: Go scales what it writes by the rate of now
	writeTrace(dir)
	writeCPU(dir)

	runtime.GC()
	runtime.GC()
	heapFigures(0)
	for _, name := range []string{"heap", "allocs"} {
		writeProfile(dir, name, 0, name+".pb.gz")
		writeProfile(dir, name, 1, name+".debug1.txt")
	}
	heapFigures(1)

	writeProfile(dir, "goroutineleak", 0, "goroutineleak.pb.gz")
	writeProfile(dir, "goroutineleak", 1, "goroutineleak.debug1.txt")
	writeProfile(dir, "goroutineleak", 2, "goroutineleak.debug2.txt")
	if pprof.Lookup("goroutineleak") != nil {
		writeProfile(dir, "goroutine", 2, "goroutine-after-leak.debug2.txt")
	}
	known.Ended = time.Now().UTC()
	writeTruth(dir)
}
