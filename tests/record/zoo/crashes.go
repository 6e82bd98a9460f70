package main

import (
	"errors"
	"fmt"
	"runtime/debug"
)

type invoice struct {
	lines []int
	next  *invoice
}

func (i *invoice) total(depth int) int {
	if depth > 2 {
		return i.next.lines[0]
	}
	return i.lines[depth] + i.total(depth+1)
}

func (i *invoice) post() {
	panic(fmt.Errorf("post: %w", errors.New("ledger is closed\nand says so on two lines")))
}

// guard recovers and panics again, as frameworks do.
func guard(do func()) {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprint("guarded: ", r))
		}
	}()
	do()
}

//go:noinline
func bottomless(n int, pad [8]int) int {
	return bottomless(n+1, pad) + pad[n%8]
}

// crash ends the program in one of the ways Go programs end.
func crash(mode string) {
	bill := &invoice{lines: []int{1, 2, 3}}
	switch mode {
	case "panic":
		openChannels()
		settle()
		done := make(chan bool)
		go func() {
			defer close(done)
			bill.post()
		}()
		<-done
	case "repanic":
		guard(bill.post)
	case "segv":
		bill.next = nil
		bill.total(0)
	case "deadlock":
		openLocks()
		settle()
		awaitReply(make(chan event))
	case "overflow":
		debug.SetMaxStack(64 << 10)
		bottomless(0, [8]int{})
	default:
		fail(fmt.Errorf("no such crash: %s", mode))
	}
}
