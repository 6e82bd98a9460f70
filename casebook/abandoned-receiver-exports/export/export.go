// Package export writes the books of a period as a sheet.
package export

import (
	"context"
	"fmt"
)

// OverQuota says that a period has more rows than may be exported.
type OverQuota struct {
	Period string
	Quota  int
}

func (o OverQuota) Error() string {
	return fmt.Sprintf("period %s has more than %d rows", o.Period, o.Quota)
}

// Exporter exports periods.
type Exporter struct {
	Books *Books
	Quota int
}

// Run returns the sheet of a period.
func (e *Exporter) Run(ctx context.Context, period string) ([]byte, error) {
	rows := make(chan Row, 32)
	sheet := newSheet()
	go sheet.fill(rows)

	seen := 0
	err := e.Books.Scan(ctx, period, func(row Row) error {
		if seen++; seen > e.Quota {
			return OverQuota{Period: period, Quota: e.Quota}
		}
		rows <- row
		return nil
	})
	if err != nil {
		return nil, err
	}
	close(rows)
	return sheet.bytes(ctx)
}
