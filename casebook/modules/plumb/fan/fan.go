// Package fan runs a function over many items at once.
package fan

import "context"

// Result is what became of one item.
type Result struct {
	Index int
	Value any
	Err   error
}

// Stream runs f for every item, each in a goroutine of its own, and returns the results as they come.
// The caller receives as many results as there are items.
func Stream(ctx context.Context, items []string, f func(context.Context, string) (any, error)) <-chan Result {
	out := make(chan Result)
	for i, item := range items {
		go one(ctx, out, i, item, f)
	}
	return out
}

func one(ctx context.Context, out chan<- Result, i int, item string, f func(context.Context, string) (any, error)) {
	value, err := f(ctx, item)
	out <- Result{Index: i, Value: value, Err: err}
}
