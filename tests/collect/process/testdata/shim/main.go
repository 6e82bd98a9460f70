// Command shim prints its goroutines when it is sent SIGUSR1, as containerd's shims do: one line of logrus. It ends with
// its standard input.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func wait() {
	answer := make(chan int)
	go func() { answer <- 1 }()
}

func main() {
	for i := 0; i < 30; i++ {
		wait()
	}
	dump := make(chan os.Signal, 32)
	signal.Notify(dump, syscall.SIGUSR1)
	go func() {
		for range dump {
			buf := make([]byte, 1<<20)
			buf = buf[:runtime.Stack(buf, true)]
			msg := fmt.Sprintf("=== BEGIN goroutine stack dump ===\n%s\n=== END goroutine stack dump ===", buf)
			now := time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
			fmt.Fprintf(os.Stderr, "time=%q level=info msg=%q namespace=k8s.io\n", now, msg)
		}
	}()
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}
