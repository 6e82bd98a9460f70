package main

import (
	"context"
	"sync"
)

// Order is a number of articles promised to a customer.
type Order struct {
	ID    int
	SKU   string
	Count int
}

// Orders are the open orders of the house.
type Orders struct {
	shelf *Shelf

	mu   sync.Mutex
	next int
	open map[string]int
}

// NewOrders returns an empty book.
func NewOrders() *Orders { return &Orders{open: make(map[string]int)} }

// Place reserves stock and opens an order for it.
func (o *Orders) Place(ctx context.Context, sku string, count int) (Order, error) {
	if err := ctx.Err(); err != nil {
		return Order{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.shelf.Reserve(sku, count); err != nil {
		return Order{}, err
	}
	o.next++
	o.open[sku] += count
	return Order{ID: o.next, SKU: sku, Count: count}, nil
}

// OpenFor is how many of an article are promised.
func (o *Orders) OpenFor(sku string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[sku]
}

// Close takes a shipped order off the book.
func (o *Orders) Close(order Order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[order.SKU] -= order.Count
}
