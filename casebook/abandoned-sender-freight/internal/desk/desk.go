// Package desk answers shippers.
package desk

import (
	"errors"
	"sync/atomic"
	"time"

	"example.com/tidewater/freight/internal/carrier"
)

// ErrTooSlow says that the carrier did not answer in time.
var ErrTooSlow = errors.New("the carrier is too slow")

// Offer is what a shipper is told.
type Offer struct {
	Ref   string `json:"ref"`
	Lane  string `json:"lane"`
	Cents int    `json:"cents"`
}

// Desk turns prices into offers.
type Desk struct {
	carrier   *carrier.Client
	patience  time.Duration
	surcharge int64
}

// New returns a desk that waits that long for a price.
func New(c *carrier.Client, patience time.Duration) *Desk {
	return &Desk{carrier: c, patience: patience, surcharge: 110}
}

// SetSurcharge sets the fuel surcharge in percent of the price.
func (d *Desk) SetSurcharge(percent int) {
	atomic.StoreInt64(&d.surcharge, int64(percent))
}

// Quote asks for the price of a lane and gives up when the carrier takes too long.
func (d *Desk) Quote(lane, ref string) (Offer, error) {
	offers := make(chan Offer)
	go func() {
		offers <- d.offer(lane, ref)
	}()

	patience := time.NewTimer(d.patience)
	defer patience.Stop()
	select {
	case offer := <-offers:
		return offer, nil
	case <-patience.C:
		return Offer{}, ErrTooSlow
	}
}

func (d *Desk) offer(lane, ref string) Offer {
	price, err := d.carrier.Price(lane, ref)
	if err != nil {
		price.Cents = 300000
	}
	percent := atomic.LoadInt64(&d.surcharge)
	return Offer{Ref: ref, Lane: lane, Cents: price.Cents * int(percent) / 100}
}
