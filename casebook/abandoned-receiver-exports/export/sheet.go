package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"strconv"
)

type sheet struct {
	out  bytes.Buffer
	full chan struct{}
}

func newSheet() *sheet {
	return &sheet{full: make(chan struct{})}
}

// fill writes rows as they come, a chapter for each account.
func (s *sheet) fill(rows <-chan Row) {
	defer close(s.full)
	w := csv.NewWriter(&s.out)
	s.chapters(w, rows)
	w.Flush()
}

func (s *sheet) chapters(w *csv.Writer, rows <-chan Row) {
	account := ""
	for row := range rows {
		if row.Account != account {
			account = row.Account
			_ = w.Write([]string{"account", account})
		}
		_ = w.Write([]string{row.Day, row.Text, strconv.Itoa(row.Cents)})
	}
}

func (s *sheet) bytes(ctx context.Context) ([]byte, error) {
	select {
	case <-s.full:
		return s.out.Bytes(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
