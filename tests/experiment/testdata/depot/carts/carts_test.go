package carts

import (
	"sync"
	"testing"
)

func TestMove(t *testing.T) {
	var done sync.WaitGroup
	for i := 0; i < 10; i++ {
		Move(&done)
	}
	done.Wait()
}

func TestCall(t *testing.T) {
	for i := 0; i < 10; i++ {
		Call()
	}
}

func BenchmarkCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Call()
	}
}
