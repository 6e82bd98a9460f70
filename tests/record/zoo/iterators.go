//go:build go1.23

package main

// walk hands each number to the body of a range loop.
func walk(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// visit waits in the body of a loop over a function, which is a function of its own.
func visit() {
	for range walk {
		<-forever
	}
}

func openIterators() {
	show(exhibit{Function: "main.visit", Count: 1, State: "chan receive", CreatedBy: "main.openIterators"})
	go visit()
}
