package main

import (
	"runtime"
	"strconv"
)

const page = 32 << 10

// What is retained, and by which way it was made.
var retained struct {
	pages   [][]byte
	byName  store[string, *ledger]
	byNum   store[int, []byte]
	onClose []func() int
}

// latest holds one page at a time.
var latest []byte

type ledger struct {
	lines [page]byte
	next  *ledger
}

type store[K comparable, V any] struct {
	items map[K]V
}

func (s *store[K, V]) put(key K, build func() V) {
	if s.items == nil {
		s.items = make(map[K]V)
	}
	s.items[key] = build()
}

//go:noinline
func newPage() []byte {
	return make([]byte, page)
}

func keepPages(count int) {
	for i := 0; i < count; i++ {
		retained.pages = append(retained.pages, newPage())
	}
}

//go:noinline
func newLedger() *ledger {
	return &ledger{}
}

//go:noinline
func churn(count int) (sum int) {
	for i := 0; i < count; i++ {
		latest = make([]byte, page)
		sum += len(latest)
	}
	latest = nil
	return sum
}

//go:noinline
func newCapture() []byte {
	return make([]byte, page)
}

func register(count int) {
	for i := 0; i < count; i++ {
		captured := newCapture()
		retained.onClose = append(retained.onClose, func() int { return len(captured) })
	}
}

// openExactHoards makes the hoards at a sampling rate at which large objects are sampled for certain.
func openExactHoards() {
	processors := runtime.GOMAXPROCS(1)
	runtime.MemProfileRate = 2048
	latest = make([]byte, 16<<20) // a processor samples by the old rate until it has sampled once more
	openHoards()
	runtime.GOMAXPROCS(processors)
}

func openHoards() {
	keepPages(20)
	for i := 0; i < 10; i++ {
		retained.byName.put(strconv.Itoa(i), newLedger)
	}
	for i := 0; i < 5; i++ {
		retained.byNum.put(i, newPage)
	}
	register(7)
	churn(30)
	// A ledger is 32 KiB and a pointer: the next size class is 40 KiB.
	known.Hoards = []hoard{
		{Function: "main.newPage", AllocObjects: 25, InuseObjects: 25, AllocSpace: 25 * page, InuseSpace: 25 * page},
		{Function: "main.newLedger", AllocObjects: 10, InuseObjects: 10, AllocSpace: 10 * 40 << 10, InuseSpace: 10 * 40 << 10},
		{Function: "main.newCapture", AllocObjects: 7, InuseObjects: 7, AllocSpace: 7 * page, InuseSpace: 7 * page},
		{Function: "main.churn", AllocObjects: 30, InuseObjects: 0, AllocSpace: 30 * page},
	}
}
