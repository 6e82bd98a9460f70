package main

import (
	"errors"
	"log"
	"sync"
	"time"
)

// Member is somebody who can be told something.
type Member struct {
	Name  string
	Watch int
}

// Message is addressed to one member.
type Message struct {
	From string
	To   *Member
	Text string
}

// Exchange brings messages to the boxes of the members.
type Exchange struct {
	roster []*Member
	inbox  chan Message

	mu    sync.Mutex
	boxes map[string][]string
}

var errNoSender = errors.New("message without sender")

// NewExchange makes an exchange for these members.
func NewExchange(roster []*Member) *Exchange {
	return &Exchange{roster: roster, inbox: make(chan Message), boxes: make(map[string][]string)}
}

// Announce tells every member and returns how many there are.
func (x *Exchange) Announce(from, text string) int {
	for _, m := range x.roster {
		go x.tell(from, m, text)
	}
	return len(x.roster)
}

// Drill sends the bosun a message that nobody has written.
func (x *Exchange) Drill() {
	x.inbox <- Message{To: x.roster[0], Text: "muster at station 4"}
}

func (x *Exchange) tell(from string, to *Member, text string) {
	time.Sleep(time.Duration(to.Watch) * time.Millisecond)
	x.submit(Message{From: from, To: to, Text: text})
}

func (x *Exchange) submit(m Message) {
	x.inbox <- m
}

// Route delivers until a message cannot be delivered.
func (x *Exchange) Route() {
	for m := range x.inbox {
		if err := x.deliver(m); err != nil {
			log.Printf("exchange: %v", err)
			return
		}
	}
}

func (x *Exchange) deliver(m Message) error {
	if m.From == "" {
		return errNoSender
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	box := append(x.boxes[m.To.Name], m.Text)
	if len(box) > 20 {
		box = box[1:]
	}
	x.boxes[m.To.Name] = box
	return nil
}
