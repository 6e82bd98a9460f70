package main

import (
	"sync"
	"syscall"
)

const sketchSize = 256 << 10

// An Arena is memory outside of Go's heap, reserved once and used again from its beginning when it is full.
type Arena struct {
	bytes []byte

	mu   sync.Mutex
	next int
}

// NewArena reserves the memory; the kernel gives a page when it is first written.
func NewArena(size int) (*Arena, error) {
	bytes, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &Arena{bytes: bytes}, nil
}

// Take returns the place of the next sketch and the number of sketches that lay there before.
func (a *Arena) Take() (sketch []byte, turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	slots := len(a.bytes) / sketchSize
	slot := a.next % slots
	turn = a.next / slots
	a.next++
	return a.bytes[slot*sketchSize : (slot+1)*sketchSize], turn
}
