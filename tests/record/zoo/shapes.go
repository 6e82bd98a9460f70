package main

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"time"
)

// pool is generic: its methods print as pool[...].
type pool[T any] struct {
	free chan T
}

func (p *pool[T]) take() T {
	return <-p.free
}

func drain[K comparable, V any](from chan V, into map[K]V, key K) {
	for v := range from {
		into[key] = v
	}
}

// forever is kept by everything below.
var forever = make(chan bool)

// nested starts a goroutine from a closure in a closure.
//
//go:noinline
func nested() {
	outer := func(n int) {
		inner := func() {
			if n >= 0 {
				<-forever
			}
		}
		go func() {
			inner()
		}()
	}
	outer(1)
}

// call hides from the compiler what is called.
//
//go:noinline
func call(do func()) {
	do()
}

type keeper struct {
	rounds int
}

func (k *keeper) patrol() {
	for range forever {
		k.rounds++
	}
}

// descend goes deeper than a dump shows.
//
//go:noinline
func descend(depth int) int {
	if depth == 0 {
		<-forever
		return 0
	}
	return descend(depth-1) + 1
}

// leave waits in a deferred call that has arguments.
func leave() {
	defer linger(forever, time.Now())
}

//go:noinline
func linger(until chan bool, since time.Time) {
	<-until
	_ = since
}

func labelled(route string) {
	<-forever
	_ = route
}

func onTimer() {
	<-forever
}

type cage struct {
	doors [64]int
}

func slowFinalizer(c *cage) {
	<-forever
	c.doors[0]++
}

var spun int64

// spin never stops and never blocks.
//
//go:noinline
func spin() {
	for atomic.AddInt64(&spun, 1) >= 0 {
	}
}

func holdThread() {
	runtime.LockOSThread()
	<-forever
}

func openShapes() {
	const creator = "main.openShapes"
	show(exhibit{Function: "main.(*pool[...]).take", Count: 2, State: "chan receive", CreatedBy: creator, Leaked: true})
	names, numbers := &pool[string]{make(chan string)}, &pool[int]{make(chan int)}
	go names.take()
	go numbers.take()
	show(exhibit{Function: "main.drain[...]", Count: 1, State: "chan receive", CreatedBy: creator, Leaked: true})
	go drain(make(chan []byte), map[string][]byte{}, "k")
	show(exhibit{Function: "main.nested.func1.1", Count: 1, State: "chan receive", CreatedBy: "main.nested.func1"})
	nested()
	show(exhibit{Function: "main.(*keeper).patrol", Count: 2, State: "chan receive", CreatedBy: creator})
	for i := 0; i < 2; i++ {
		go call((&keeper{rounds: i}).patrol)
	}
	show(exhibit{Function: "main.descend", Count: 1, State: "chan receive", CreatedBy: creator, Elided: true})
	go descend(150)
	show(exhibit{Function: "main.linger", Count: 1, State: "chan receive", CreatedBy: creator})
	go leave()

	for tenant, count := range map[string]int{"blue": 2, "grün": 1} {
		labels := map[string]string{"tenant": tenant, "route": `GET /x "q"`}
		show(exhibit{Function: "main.labelled", Count: count, State: "chan receive", CreatedBy: "main.openShapes.func1", Labels: labels})
		pprof.Do(context.Background(), pprof.Labels("tenant", tenant, "route", `GET /x "q"`), func(context.Context) {
			for i := 0; i < count; i++ {
				go labelled("/x")
			}
		})
	}

	show(exhibit{Function: "main.onTimer", Count: 1, State: "chan receive", CreatedBy: "time.goFunc"})
	time.AfterFunc(time.Millisecond, onTimer)

	show(exhibit{Function: "main.slowFinalizer", Count: 1, State: "chan receive"})
	abandonCage()
	for i := 0; i < 3; i++ {
		runtime.GC()
	}

	show(exhibit{Function: "main.holdThread", Count: 1, State: "chan receive", CreatedBy: creator, Locked: true})
	go holdThread()
	openIterators()
}

// openSpin comes last, not to burn the processor while others wait.
func openSpin() {
	show(exhibit{Function: "main.spin", Count: 1, State: "running", CreatedBy: "main.openSpin"})
	go spin()
}

//go:noinline
func abandonCage() {
	c := &cage{}
	c.doors[1] = 1
	runtime.SetFinalizer(c, slowFinalizer)
}
