package main

import (
	"context"
	"fmt"
)

// Order is one payout.
type Order struct {
	Account string
	Cents   int
}

// Clerk pays orders.
type Clerk struct {
	bank  *Bank
	books *Books
	audit *Audit
}

// Pay sends the order to the bank and books it.
func (c *Clerk) Pay(ctx context.Context, order Order) error {
	outcome := make(chan error)
	go c.transfer(ctx, order, outcome)
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		go func() { <-outcome }()
		return ctx.Err()
	}
}

func (c *Clerk) transfer(ctx context.Context, order Order, outcome chan<- error) {
	receipt, err := c.bank.Transfer(ctx, order)
	if err != nil {
		c.audit.Note("refused", order)
		outcome <- fmt.Errorf("payout to %s: %w", order.Account, err)
	}
	c.books.Enter(order, receipt)
	c.audit.Note("paid", order)
	outcome <- nil
}
