// Command orders serves pprof on a free port of the loopback interface, and leaks twenty goroutines. It ends with its
// standard input.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
)

func reserve() {
	reserved := make(chan int)
	go func() { reserved <- 1 }()
}

func main() {
	for i := 0; i < 20; i++ {
		reserve()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	go func() { log.Fatal(http.Serve(listener, nil)) }()
	io.Copy(io.Discard, os.Stdin)
}
