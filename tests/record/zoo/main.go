// Zoo holds goroutines in every state and heap retained in several ways, and writes every kind of dump and profile of
// itself beside the truth about them. The tests of Oakum read what it wrote under several Go versions.
//
//	zoo profiles DIR [WAIT]  captures of every kind into DIR, and truth.json; WAIT passes between opening and capture
//	zoo wait                 says "open" and waits for a signal: SIGQUIT gives the dump
//	zoo stack                writes all stacks on standard output (GODEBUG=tracebackancestors=N changes them)
//	zoo sampled DIR          heap profiles at Go's own sampling rate
//	zoo panic|repanic|segv|deadlock|overflow
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("say what to do"))
	}
	switch mode := os.Args[1]; mode {
	case "profiles":
		var wait time.Duration
		if len(os.Args) > 3 {
			var err error
			wait, err = time.ParseDuration(os.Args[3])
			fail(err)
		}
		openExactHoards()
		openGates()
		settle()
		runtime.GC() // stamps since when the goroutines wait
		time.Sleep(wait)
		known.Waited = int(wait / time.Minute)
		openSpin()
		writeAll(os.Args[2])
	case "sampled":
		openHoards()
		runtime.GC()
		runtime.GC()
		writeProfile(os.Args[2], "heap", 0, "heap.pb.gz")
		writeProfile(os.Args[2], "heap", 1, "heap.debug1.txt")
	case "wait":
		openGates()
		openSpin()
		settle()
		fmt.Println("open")
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		<-signals
	case "stack":
		openGates()
		settle()
		os.Stdout.Write(allStacks())
	default:
		crash(mode)
	}
}

// settle waits until every goroutine has had the time to reach its place.
func settle() {
	time.Sleep(500 * time.Millisecond)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
