package quotes

import (
	"context"
	"testing"
	"time"
)

func stuck() int {
	time.Sleep(200 * time.Millisecond)
	return 7
}

func TestBest(t *testing.T) {
	price, err := Best(context.Background(), Slow)
	if price != 7 || err != nil {
		t.Fatal(price, err)
	}
}

func TestBestTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := Best(ctx, stuck); err == nil {
		t.Fatal("it answered")
	}
}

func TestBestParallel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"north", "south"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			t.Cleanup(cancel)
			if _, err := Best(ctx, Slow); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func BenchmarkBestTimeout(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for i := 0; i < b.N; i++ {
		Best(ctx, stuck)
	}
}

func BenchmarkBest(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Best(context.Background(), func() int { return 1 })
	}
}
