// A program with as many objects as it is told, of the kinds that services have, and its heap dump.
package main

import (
	"container/list"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

type session struct {
	user   string
	tags   []string
	body   []byte
	owner  *registry
	orders []*order
}

type order struct {
	id   int
	note *string
	of   *session
}

type registry struct {
	sessions map[int]*session
}

type tree struct {
	parent, left, right *tree
	key                 int
}

var (
	sessions = &registry{map[int]*session{}}
	recent   = list.New()
	index    *tree
	shared   []*string
)

func grow(t *tree, depth int) *tree {
	one := &tree{parent: t, key: depth}
	if depth > 0 {
		one.left, one.right = grow(one, depth-1), grow(one, depth-1)
	}
	return one
}

func main() {
	out := flag.String("o", "big.dump", "where the heap dump is written")
	n := flag.Int("n", 100000, "about how many objects")
	flag.Parse()
	// A session makes about 13 objects, an entry of the list 2.
	for i := 0; i < 1000; i++ {
		s := fmt.Sprintf("note %d", i)
		shared = append(shared, &s)
	}
	for i := 0; i < *n/16; i++ {
		s := &session{user: fmt.Sprintf("user %d", i), body: make([]byte, 40), owner: sessions}
		s.tags = []string{fmt.Sprintf("tag %d", i), "x"}
		for j := 0; j < 3; j++ {
			s.orders = append(s.orders, &order{j, shared[(i+j)%1000], s})
		}
		note := fmt.Sprintf("own %d", i)
		s.orders[0].note = &note
		sessions.sessions[i] = s
		if i%4 == 0 {
			recent.PushBack(s)
		}
	}
	depth := 0
	for 1<<(depth+1) < *n/8 {
		depth++
	}
	index = grow(nil, depth)
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("objects", m.HeapObjects, "bytes", m.HeapAlloc)
	file, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	debug.WriteHeapDump(file.Fd())
	file.Close()
	runtime.KeepAlive(recent)
}
