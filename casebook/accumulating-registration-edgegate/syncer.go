package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/bus"
)

// A Syncer keeps the tenants of the gate as the directory lists them.
type Syncer struct {
	directory *peer.Peer
	policies  *bus.Bus
	gate      *Gate
	every     time.Duration
	greet     bool
	failures  int
}

func (s *Syncer) run(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		if err := s.reconcile(ctx); err != nil {
			log.Printf("sync: %v", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Syncer) reconcile(ctx context.Context) error {
	text, err := s.directory.Get(ctx, "/tenants", 1<<20)
	if err != nil {
		return err
	}
	var listed []Listing
	if err := json.Unmarshal(text, &listed); err != nil {
		return err
	}
	for _, l := range listed {
		if s.gate.has(l.ID) {
			continue
		}
		if err := s.admit(ctx, l); err != nil {
			if s.failures++; s.failures%60 == 1 {
				log.Printf("sync: %v (%d failures so far)", err, s.failures)
			}
		}
	}
	return nil
}

func (s *Syncer) admit(ctx context.Context, l Listing) error {
	if s.greet {
		if err := greet(ctx, s.directory, l.ID); err != nil {
			return err
		}
		s.gate.add(s.newTenant(l))
		return nil
	}
	t := s.newTenant(l)
	if err := greet(ctx, s.directory, t.id); err != nil {
		return fmt.Errorf("tenant %s: %w", l.ID, err)
	}
	s.gate.add(t)
	return nil
}

func (s *Syncer) newTenant(l Listing) *Tenant {
	t := &Tenant{id: l.ID, weight: l.Weight, jobs: make(chan job, 8)}
	t.rules = s.policies.Subscribe("policy", t)
	return t
}

// announce tells the tenants that a policy has changed.
func (s *Syncer) announce(w http.ResponseWriter, r *http.Request) {
	s.policies.Publish(bus.Event{Topic: "policy", Object: chassis.Tail(r, "/policies/"), Version: time.Now().UnixNano()})
	w.WriteHeader(http.StatusAccepted)
}
