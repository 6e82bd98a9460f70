// Command listing allocates and parks in ways that are hard to list: inlined, recursive, generic, in closures.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"example.com/Listing/deep"
)

var kept [][]byte

func small(n int) []byte { return make([]byte, n) }

func grow(n int) {
	kept = append(kept, small(n))
}

type pool[T any] struct{ items []T }

func (p *pool[T]) add(make func() T, n int) {
	for i := 0; i < n; i++ {
		p.items = append(p.items, make())
	}
}

func write(name string, debug int, file string) {
	f, err := os.Create(file)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup(name).WriteTo(f, debug); err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 1
	for i := 0; i < 100; i++ {
		grow(1000 + i)
	}
	p := &pool[[]byte]{}
	p.add(func() []byte {
		return make([]byte, 4096)
	}, 7)
	kept = append(kept, deep.Walk(12), deep.Even(8))

	gate, ready := make(chan int), make(chan bool)
	for i := 0; i < 5; i++ {
		go func() {
			deep.Descend(i, ready, gate)
		}()
		<-ready
	}
	runtime.GC()
	for i := 0; i < 1000; i++ {
		runtime.Gosched()
	}
	write("heap", 0, "heap.pb.gz")
	write("goroutine", 0, "goroutine.pb.gz")
	write("goroutine", 1, "goroutine.debug1.txt")
	write("goroutine", 2, "goroutine.debug2.txt")
	fmt.Println(len(kept), len(p.items))
}
