// Command inventory keeps what is on the shelves.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/market/checkoutpb"
	"example.com/market/telemetry"
)

type shelf struct {
	mu       sync.Mutex
	reserved map[string]int
	journal  chan string
	pause    time.Duration
}

func (s *shelf) Reserve(_ context.Context, in *checkoutpb.Request) (*checkoutpb.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(s.pause)
	s.reserved[in.GetValue()]++
	return wrapperspb.String("reserved"), nil
}

func (s *shelf) Watch(_ *checkoutpb.Request, stream grpc.ServerStreamingServer[checkoutpb.Reply]) error {
	every := time.NewTicker(5 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-stream.Context().Done():
			return nil
		case <-every.C:
			if err := stream.Send(wrapperspb.String("level")); err != nil {
				return err
			}
		}
	}
}

// recount writes the levels into the journal, all of one moment.
func (s *shelf) recount() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for item := range s.reserved {
		s.journal <- item
	}
}

func (s *shelf) write(lines int) {
	for range lines {
		log.Print(<-s.journal)
	}
}

func main() {
	telemetry.Serve()
	pause, _ := time.ParseDuration(os.Getenv("PAUSE"))
	s := &shelf{reserved: map[string]int{"a": 0, "b": 0, "c": 0}, journal: make(chan string), pause: pause}
	if after, err := time.ParseDuration(os.Getenv("RECOUNT_AFTER")); err == nil {
		go s.write(1)
		time.AfterFunc(after, s.recount)
	}
	listener, err := net.Listen("tcp", os.Getenv("LISTEN_ADDR"))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	checkoutpb.RegisterInventoryServer(server, s)
	log.Fatal(server.Serve(listener))
}
