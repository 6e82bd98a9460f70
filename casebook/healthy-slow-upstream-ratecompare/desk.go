package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// Desk collects offers.
type Desk struct {
	bank   *Bank
	client *http.Client
	checks uint64
}

// NewDesk asks a bank.
func NewDesk(b *Bank) *Desk {
	return &Desk{bank: b, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}}
}

// Checks is the number of answers of the bank.
func (d *Desk) Checks() float64 { return float64(atomic.LoadUint64(&d.checks)) }

// Offers returns offers for three terms, asked for at once.
func (d *Desk) Offers(customer int) []string {
	offers := make([]string, 3)
	var all sync.WaitGroup
	for i := range offers {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			offers[i] = d.ask(fmt.Sprintf("%d-%dy", customer, 5*(i+1)))
		}(i)
	}
	all.Wait()
	return offers
}

// Watch asks once more in the background, for the customer's mailbox.
func (d *Desk) Watch(customer string) {
	go func() {
		for _, term := range []string{"5y", "10y"} {
			d.ask(customer + "-" + term)
		}
	}()
}

func (d *Desk) ask(offer string) string {
	resp, err := d.client.Get(d.bank.base + "/offer/" + offer)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	atomic.AddUint64(&d.checks, 1)
	return string(text)
}

// Curve computes the yield curve.
func (d *Desk) Curve(points int) {
	curve := make([]float64, points)
	for i := 1; i < len(curve); i++ {
		curve[i] = curve[i-1]*0.999 + 0.01
	}
}
