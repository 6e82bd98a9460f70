package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

type api struct {
	stuck chan bool
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/stuck" {
		<-a.stuck
	}
	io.WriteString(w, "fine")
}

// handler can be reached for ever.
var handler = &api{stuck: make(chan bool)}

type client struct {
	http.Client
}

//go:noinline
func (c *client) fetch(url string) error {
	response, err := c.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// accepted keeps the other ends open.
var accepted []net.Conn

func acceptSilent(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		accepted = append(accepted, conn)
	}
}

func readSilence(conn net.Conn) {
	io.Copy(io.Discard, conn)
}

// readPipe waits in the kernel: nothing is ever written, and the descriptor blocks.
func readPipe(fd int, buffer []byte) {
	syscall.Read(fd, buffer)
}

// pipes keeps the writing end open.
var pipes []int

func openSockets() {
	const creator = "main.openSockets"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	show(exhibit{Function: "main.acceptSilent", Count: 1, State: "IO wait", CreatedBy: creator})
	go acceptSilent(listener)
	show(exhibit{Function: "main.readSilence", Count: 2, State: "IO wait", CreatedBy: creator})
	for i := 0; i < 2; i++ {
		conn, err := net.Dial("tcp", listener.Addr().String())
		fail(err)
		go readSilence(conn)
	}

	web, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	show(exhibit{Function: "net/http.(*Server).Serve", Count: 1, State: "IO wait", CreatedBy: creator})
	go (&http.Server{Handler: handler}).Serve(web)
	show(exhibit{Function: "net/http.(*persistConn).readLoop", Count: 3, State: "IO wait", CreatedBy: "net/http.(*Transport).dialConn"})
	show(exhibit{Function: "net/http.(*persistConn).writeLoop", Count: 3, State: "select", CreatedBy: "net/http.(*Transport).dialConn"})
	show(exhibit{Function: "net/http.(*connReader).backgroundRead", Count: 1, State: "IO wait", CreatedBy: "net/http.(*connReader).startBackgroundRead"})
	for i := 0; i < 2; i++ {
		idle := &client{http.Client{Transport: &http.Transport{}}}
		fail(idle.fetch("http://" + web.Addr().String() + "/"))
	}
	show(exhibit{Function: "main.(*api).ServeHTTP", Count: 1, State: "chan receive", CreatedBy: "net/http.(*Server).Serve"})
	show(exhibit{Function: "main.(*client).fetch", Count: 1, State: "select", CreatedBy: creator})
	go (&client{http.Client{Transport: &http.Transport{}}}).fetch("http://" + web.Addr().String() + "/stuck")

	ends := make([]int, 2)
	fail(syscall.Pipe(ends))
	pipes = append(pipes, ends...)
	show(exhibit{Function: "main.readPipe", Count: 1, State: "syscall", CreatedBy: creator})
	go readPipe(ends[0], make([]byte, 64))

	show(exhibit{Function: "os/signal.loop", Count: 1, State: "syscall", CreatedBy: "os/signal.Notify.func1.1"})
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
}

func openGates() {
	openChannels()
	openLocks()
	openSockets()
	openShapes()
	openForeign()
}
