package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/peer"
)

var errTooLate = errors.New("the statement is not ready yet, try again later")

// Office prepares statements.
type Office struct {
	core     *peer.Peer
	patience time.Duration
	book     *journal.Journal
	stamps   *stampers
}

// A Sheet is a statement in print.
type Sheet struct {
	account int
	page    []byte
	err     error
}

func (o *Office) statement(w http.ResponseWriter, r *http.Request) {
	account, err := strconv.Atoi(chassis.Tail(r, "/statement/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sheet, err := o.order(account)
	if errors.Is(err, errTooLate) {
		w.Header().Set("Retry-After", "30")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(sheet.page[:4096])
}

// order has the sheet prepared and waits for it as long as a visitor would.
func (o *Office) order(account int) (*Sheet, error) {
	ready := make(chan *Sheet)
	go o.prepare(account, ready)
	select {
	case sheet := <-ready:
		return sheet, sheet.err
	case <-time.After(o.patience):
		o.book.Note("too late: " + strconv.Itoa(account))
		return nil, errTooLate
	}
}

func (o *Office) prepare(account int, ready chan<- *Sheet) {
	entries, err := o.core.Get(context.Background(), "/entries/"+strconv.Itoa(account), 1<<20)
	sheet := &Sheet{account: account, err: err}
	if err == nil {
		sheet.page = o.typeset(account, entries)
	}
	o.deliver(sheet, ready)
}

func (o *Office) deliver(sheet *Sheet, ready chan<- *Sheet) {
	o.stamps.stamp(sheet)
	ready <- sheet
}

func (o *Office) typeset(account int, entries []byte) []byte {
	page := make([]byte, 0, 208<<10)
	for line := 0; len(page)+80 < cap(page); line++ {
		page = strconv.AppendInt(page, int64(account), 10)
		page = append(page, ' ')
		page = append(page, entries[line*37%(len(entries)-40):][:40]...)
		page = append(page, '\n')
	}
	return page
}

func (o *Office) balance(w http.ResponseWriter, r *http.Request) {
	said, err := o.core.Get(r.Context(), "/balance/"+chassis.Tail(r, "/balance/"), 1<<16)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(said)
}
