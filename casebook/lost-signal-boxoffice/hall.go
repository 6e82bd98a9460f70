package main

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// Hall sells seats. While one customer pays, the others who want the same seat stand by.
type Hall struct {
	mu      sync.Mutex
	tickets int
	holds   map[int]*hold
	sold    map[int]string
	free    int
}

// hold is a seat for which somebody is paying.
type hold struct {
	seat    int
	mu      sync.Mutex
	settled *sync.Cond
	done    bool
}

// NewHall returns a hall in which nothing is sold.
func NewHall() *Hall {
	return &Hall{holds: make(map[int]*hold), sold: make(map[int]string), free: 4000}
}

// Free is the number of seats that nobody has.
func (h *Hall) Free() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(h.free)
}

// Reserve takes a customer on for the next best seat, which three are offered at a time.
func (h *Hall) Reserve() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	seat := h.tickets / 3
	h.tickets++
	if taken, ok := h.holds[seat]; ok {
		go h.standby(h.tickets, taken)
		return fmt.Sprintf("seat %d: standing by", seat)
	}
	taken := &hold{seat: seat}
	taken.settled = sync.NewCond(&taken.mu)
	h.holds[seat] = taken
	go h.pay(h.tickets, taken)
	return fmt.Sprintf("seat %d: please pay", seat)
}

// pay asks the bank and settles the hold.
func (h *Hall) pay(ticket int, taken *hold) {
	if err := charge(ticket, taken.seat); err != nil {
		log.Printf("ticket %d: %v", ticket, err)
		h.mu.Lock()
		delete(h.holds, taken.seat)
		h.mu.Unlock()
		return
	}
	h.mu.Lock()
	h.sold[taken.seat%512] = fmt.Sprint("ticket ", ticket)
	h.free--
	h.mu.Unlock()
	taken.settle()
}

// standby waits until it is known who has the seat.
func (h *Hall) standby(ticket int, taken *hold) {
	taken.wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.sold[taken.seat%512]; !ok {
		h.sold[taken.seat%512] = fmt.Sprint("ticket ", ticket)
	}
}

func (t *hold) settle() {
	t.mu.Lock()
	t.done = true
	t.mu.Unlock()
	t.settled.Broadcast()
}

func (t *hold) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.done {
		t.settled.Wait()
	}
}

// charge is what the bank says; it declines now and then.
func charge(ticket, seat int) error {
	time.Sleep(2500 * time.Millisecond)
	if seat%4 == 3 {
		return fmt.Errorf("payment for seat %d was declined", seat)
	}
	return nil
}
