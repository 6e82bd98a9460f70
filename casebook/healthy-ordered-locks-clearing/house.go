package main

import (
	"fmt"
	"sync"
	"time"
)

// Account belongs to a bank.
type Account struct {
	id      int
	mu      sync.Mutex
	balance int64
	journal []entry
}

type entry struct {
	other  int
	amount int64
	at     time.Time
}

// House is the clearing house; account 0 is its own.
type House struct {
	accounts []*Account
}

// NewHouse opens n accounts.
func NewHouse(n int) *House {
	h := &House{}
	for id := 0; id < n; id++ {
		h.accounts = append(h.accounts, &Account{id: id, balance: 1 << 30})
	}
	return h
}

// Transfer books an amount from one account to another.
func (h *House) Transfer(from, to int, amount int64) error {
	if from == to {
		return nil
	}
	a, b := h.accounts[from], h.accounts[to]
	first, second := a, b
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if a.balance < amount {
		return fmt.Errorf("account %d has %d, not %d", a.id, a.balance, amount)
	}
	a.post(b.id, -amount)
	b.post(a.id, amount)
	sync2disk()
	return nil
}

// post writes an entry; the account is locked.
func (a *Account) post(other int, amount int64) {
	a.balance += amount
	a.journal = append(a.journal, entry{other, amount, time.Now()})
	if len(a.journal) > 64 {
		a.journal = append(a.journal[:0:0], a.journal[32:]...)
	}
}

// sync2disk waits until the journal is on the disk.
func sync2disk() { time.Sleep(70 * time.Millisecond) }

// Statements prints what happened on every account.
func (h *House) Statements() {
	for _, a := range h.accounts[1:] {
		page := make([]byte, 8<<10)
		a.mu.Lock()
		copy(page, fmt.Sprint(a.id, a.balance, len(a.journal)))
		a.mu.Unlock()
	}
}
