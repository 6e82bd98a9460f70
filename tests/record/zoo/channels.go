package main

import (
	"context"
	"time"

	pen "example.org/Lantern/pen.v2"
)

// What the zoo keeps can be reached for ever: goroutines that wait for it are not leaked.
var kept struct {
	relay  *relay
	gate   *pen.Gate
	closed chan struct{}
	jobs   chan job
	timers chan bool
}

type event struct {
	id   int
	body string
}

type job func() error

type feed struct {
	name string
	out  chan event
}

// publish is the classic: the reader has gone, the sender stays.
func (f *feed) publish(ctx context.Context, e event) error {
	for attempt := 0; ctx.Err() == nil; attempt++ {
		if err := f.deliver(e, attempt); err != nil {
			return err
		}
	}
	return ctx.Err()
}

//go:noinline
func (f *feed) deliver(e event, attempt int) error {
	f.out <- e
	return nil
}

type relay struct {
	in, out chan event
}

func (r *relay) forward() {
	for {
		r.out <- event{body: "kept"}
	}
}

func (r *relay) collect(last *event) {
	for e := range r.in {
		*last = e
	}
}

// awaitReply waits for an answer that nobody will give.
func awaitReply(reply <-chan event) event {
	return <-reply
}

func receiveFromNil() {
	var never chan event
	<-never
}

func sendToNil(e event) {
	var never chan event
	never <- e
}

type janitor struct {
	ticker *time.Ticker
	done   chan struct{}
}

func (j *janitor) run() {
	defer j.ticker.Stop()
	for {
		select {
		case <-j.ticker.C:
		case <-j.done:
			return
		}
	}
}

// race waits for either of two channels that only it knows.
func race(first, second chan event) (e event) {
	select {
	case e = <-first:
	case e = <-second:
	}
	return e
}

func sleepForever() {
	for {
		time.Sleep(24 * time.Hour)
	}
}

func blockForever() {
	select {}
}

func work(jobs <-chan job) {
	for j := range jobs {
		_ = j()
	}
}

func openChannels() {
	const creator = "main.openChannels"
	show(exhibit{Function: "main.(*feed).deliver", Count: 5, State: "chan send", CreatedBy: creator, Leaked: true})
	for i := 0; i < 5; i++ {
		f := &feed{name: "orders", out: make(chan event)}
		go f.publish(context.Background(), event{id: i, body: "lost"})
	}
	kept.relay = &relay{in: make(chan event), out: make(chan event)}
	show(exhibit{Function: "main.(*relay).forward", Count: 2, State: "chan send", CreatedBy: creator})
	go kept.relay.forward()
	go kept.relay.forward()
	show(exhibit{Function: "main.(*relay).collect", Count: 1, State: "chan receive", CreatedBy: creator})
	go kept.relay.collect(new(event))
	show(exhibit{Function: "main.awaitReply", Count: 3, State: "chan receive", CreatedBy: creator, Leaked: true})
	for i := 0; i < 3; i++ {
		go awaitReply(make(chan event))
	}
	show(exhibit{Function: "main.receiveFromNil", Count: 1, State: "chan receive (nil chan)", CreatedBy: creator, Leaked: true})
	go receiveFromNil()
	show(exhibit{Function: "main.sendToNil", Count: 1, State: "chan send (nil chan)", CreatedBy: creator, Leaked: true})
	go sendToNil(event{id: 9})
	kept.closed = make(chan struct{})
	show(exhibit{Function: "main.(*janitor).run", Count: 2, State: "select", CreatedBy: creator})
	for i := 0; i < 2; i++ {
		j := &janitor{time.NewTicker(time.Hour), kept.closed}
		go j.run()
	}
	show(exhibit{Function: "main.race", Count: 2, State: "select", CreatedBy: creator, Leaked: true})
	go race(make(chan event), make(chan event))
	go race(make(chan event), make(chan event))
	show(exhibit{Function: "main.blockForever", Count: 1, State: "select (no cases)", CreatedBy: creator, Leaked: true})
	go blockForever()
	show(exhibit{Function: "main.sleepForever", Count: 2, State: "sleep", CreatedBy: creator})
	go sleepForever()
	go sleepForever()
	kept.jobs = make(chan job)
	show(exhibit{Function: "main.work", Count: 8, State: "chan receive", CreatedBy: creator})
	for i := 0; i < 8; i++ {
		go work(kept.jobs)
	}
	kept.gate = pen.NewGate()
	show(exhibit{Function: "example.org/Lantern/pen%2ev2.(*Gate).Enter", Count: 4, State: "chan send", CreatedBy: creator})
	for i := 0; i < 4; i++ {
		go kept.gate.Enter(i)
	}
}
