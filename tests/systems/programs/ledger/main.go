// Command ledger books payments in batches.
package main

import (
	"log"
	"net"
	"net/rpc"
	"os"
	"sync"

	"example.com/market/telemetry"
)

type Ledger struct {
	mu    sync.Mutex
	full  *sync.Cond
	batch []string
	stop  bool
}

// Book waits until the batch of this payment is written.
func (l *Ledger) Book(payment string, reply *int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batch = append(l.batch, payment)
	if len(l.batch) >= 5 && !l.stop {
		l.write()
	}
	for pending := true; pending; pending = contains(l.batch, payment) {
		l.full.Wait()
	}
	*reply = 1
	return nil
}

func (l *Ledger) write() {
	if contains(l.batch, "p40") { // the file is full: a reader that nobody calls again
		l.stop = true
		return
	}
	l.batch = nil
	l.full.Broadcast()
}

func contains(all []string, one string) bool {
	for _, other := range all {
		if other == one {
			return true
		}
	}
	return false
}

func main() {
	telemetry.Serve()
	ledger := &Ledger{}
	ledger.full = sync.NewCond(&ledger.mu)
	if err := rpc.Register(ledger); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Getenv("LISTEN_ADDR"))
	if err != nil {
		log.Fatal(err)
	}
	rpc.Accept(listener)
}
