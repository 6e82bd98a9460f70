package main

import (
	"context"
	"hash/fnv"
	"sync"
	"time"
)

type payment struct {
	ref   string
	payer string
	large bool
}

type decision struct {
	approved bool
	by       string
}

type request struct {
	payment payment
	decided chan decision
	since   time.Time
}

// desk holds payments until somebody has decided on them.
type desk struct {
	post *postOffice
	keep time.Duration

	mu      sync.Mutex
	pending map[string]*request
}

func newDesk(post *postOffice, keep time.Duration) *desk {
	return &desk{post: post, keep: keep, pending: make(map[string]*request)}
}

func (d *desk) submit(p payment) {
	req := &request{payment: p, decided: make(chan decision), since: time.Now()}
	d.mu.Lock()
	d.pending[p.ref] = req
	d.mu.Unlock()
	go d.settle(req)
}

// settle books a payment once it is approved and tells the merchant.
func (d *desk) settle(req *request) {
	verdict := <-req.decided
	text := "refused"
	if verdict.approved {
		text = "approved by " + verdict.by
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(req.payment.ref))
	d.post.deliver(int(h.Sum32()), letter{ref: req.payment.ref, text: text})
}

func (d *desk) decide(ref string, verdict decision) bool {
	d.mu.Lock()
	req, ok := d.pending[ref]
	delete(d.pending, ref)
	d.mu.Unlock()
	if ok {
		req.decided <- verdict
	}
	return ok
}

// approveSmall decides on small payments without a person.
func (d *desk) approveSmall(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, ref := range d.small() {
				d.decide(ref, decision{approved: true, by: "policy"})
			}
		}
	}
}

func (d *desk) small() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var refs []string
	for ref, req := range d.pending {
		if !req.payment.large {
			refs = append(refs, ref)
		}
	}
	return refs
}

// expire forgets payments on which nobody decided in time.
func (d *desk) expire(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			d.forget(now.Add(-d.keep))
		}
	}
}

func (d *desk) forget(before time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for ref, req := range d.pending {
		if req.since.Before(before) {
			delete(d.pending, ref)
		}
	}
}

func (d *desk) waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}
