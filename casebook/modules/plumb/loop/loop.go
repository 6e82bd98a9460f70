// Package loop runs things again and again.
package loop

import (
	"context"
	"time"
)

// Every calls f at each tick until the context ends.
func Every(ctx context.Context, period time.Duration, f func(context.Context)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f(ctx)
		}
	}
}
