// Package quotes asks carriers what they charge.
package quotes

import (
	"context"
	"time"
)

// Best returns the price of a carrier, or that it did not answer in time.
func Best(ctx context.Context, ask func() int) (int, error) {
	answer := make(chan int)
	go func() {
		answer <- ask()
	}()
	select {
	case price := <-answer:
		return price, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Slow is a carrier that takes its time.
func Slow() int {
	time.Sleep(20 * time.Millisecond)
	return 7
}
