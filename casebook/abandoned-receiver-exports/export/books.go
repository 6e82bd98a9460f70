package export

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Row is one booking.
type Row struct {
	Account string
	Day     string
	Text    string
	Cents   int
}

// Books holds the accounts, each behind a goroutine that owns it.
type Books struct {
	accounts []*account
	rounds   int64
}

type account struct {
	name string
	asks chan ask
}

type ask struct {
	days  int
	reply chan<- []Row
}

// OpenBooks opens that many accounts.
func OpenBooks(n int) *Books {
	b := &Books{}
	for i := 0; i < n; i++ {
		a := &account{name: fmt.Sprintf("4%03d", i), asks: make(chan ask)}
		go a.serve()
		b.accounts = append(b.accounts, a)
	}
	return b
}

func (a *account) serve() {
	for q := range a.asks {
		rows := make([]Row, 0, q.days)
		for day := 1; day <= q.days; day++ {
			rows = append(rows, Row{a.name, fmt.Sprintf("day %02d", day), "transfer between accounts", day * 117})
		}
		q.reply <- rows
	}
}

// Scan yields the rows of a period in order.
func (b *Books) Scan(ctx context.Context, period string, yield func(Row) error) error {
	days := 12
	if period == "quarter" {
		days = 36
	}
	for _, a := range b.accounts {
		if err := ctx.Err(); err != nil {
			return err
		}
		reply := make(chan []Row, 1)
		a.asks <- ask{days, reply}
		for _, row := range <-reply {
			if err := yield(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compact is called now and then.
func (b *Books) Compact(context.Context) {
	atomic.AddInt64(&b.rounds, 1)
}
