// Command states holds goroutines in every state a service may leave them in, and writes its goroutine profile as
// debug=0, 1 and 2 into the directory given; a second argument makes it "panic" or "quit" (SIGQUIT) in the end.
// Kept to the Go 1.21 language. The files beside it were recorded with several releases by
//
//	go build -trimpath -o /opt/states . && GODEBUG=tracebacklabels=1 /opt/states DIR
//	GOTRACEBACK=crash /opt/states DIR quit 2> crash.txt
//	GOTRACEBACK=all /opt/states DIR panic 2> panic.txt
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

type box[T any] struct{ in chan T }

func (b *box[T]) fill(v T) { b.in <- v }

func send(ch chan int)        { ch <- 1 }
func receive(ch chan int) int { return <-ch }
func choose(a, b chan int) {
	select {
	case <-a:
	case b <- 1:
	}
}
func forever()                       { select {} }
func nap()                           { time.Sleep(time.Hour) }
func lock(m *sync.Mutex)             { m.Lock() }
func readLock(m *sync.RWMutex)       { m.RLock() }
func writeLock(m *sync.RWMutex)      { m.Lock() }
func wait(w *sync.WaitGroup)         { w.Wait() }
func waitCond(c *sync.Cond)          { c.L.Lock(); c.Wait() }
func accept(l net.Listener)          { l.Accept() }
func read(f *os.File)                { f.Read(make([]byte, 1)) }
func blockInKernel(fd int)           { syscall.Read(fd, make([]byte, 1)) }
func once(o *sync.Once, ch chan int) { o.Do(func() { <-ch }) }
func locked(ch chan int)             { runtime.LockOSThread(); <-ch }
func deep(n int, ch chan int) int {
	if n == 0 {
		return <-ch
	}
	return deep(n-1, ch) + 1
}

func main() {
	dir := os.Args[1]
	none := make(chan int)
	for i := 0; i < 3; i++ {
		go send(none)
	}
	go receive(make(chan int))
	go receive(nil)
	go send(nil)
	go choose(make(chan int), make(chan int))
	go forever()
	go nap()
	go (&box[string]{make(chan string)}).fill("x")
	go func() { func() { <-make(chan int) }() }()

	var mutex sync.Mutex
	mutex.Lock()
	go lock(&mutex)
	go lock(&mutex)
	var read1, written sync.RWMutex
	written.Lock()
	go readLock(&written)
	go writeLock(&written) // queues for the inner mutex
	read1.RLock()
	go writeLock(&read1) // waits for the readers
	var group sync.WaitGroup
	group.Add(1)
	go wait(&group)
	go waitCond(sync.NewCond(&sync.Mutex{}))
	var first sync.Once
	go once(&first, make(chan int))
	time.Sleep(10 * time.Millisecond)
	go once(&first, make(chan int))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go accept(listener)
	reader, _, err := os.Pipe()
	check(err)
	go read(reader)
	time.Sleep(10 * time.Millisecond)
	go read(reader) // waits for the file's own lock
	var pipe [2]int
	check(syscall.Pipe(pipe[:]))
	go blockInKernel(pipe[0])
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)

	go locked(make(chan int))
	go deep(150, make(chan int))
	pprof.Do(context.Background(), pprof.Labels("tenant", "a b \"c\"", "path", "/x"), func(context.Context) {
		go receive(make(chan int))
	})

	time.Sleep(100 * time.Millisecond)
	for debug := 0; debug < 3; debug++ {
		name := fmt.Sprintf("debug%d.%s", debug, [...]string{"pb.gz", "txt", "txt"}[debug])
		file, err := os.Create(filepath.Join(dir, name))
		check(err)
		check(pprof.Lookup("goroutine").WriteTo(file, debug))
		check(file.Close())
	}
	if len(os.Args) > 2 && os.Args[2] == "panic" {
		panic(fmt.Errorf("asked to"))
	}
	if len(os.Args) > 2 && os.Args[2] == "quit" {
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		forever()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
