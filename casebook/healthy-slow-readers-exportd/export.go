package main

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"example.org/quarry/portico"
)

// Tables are what the office has counted.
type Tables struct {
	size    int
	running int32
	rows    uint64
}

// NewTables returns tables of so many rows.
func NewTables(size int) *Tables { return &Tables{size: size} }

// Running is the number of exports under way.
func (t *Tables) Running() float64 { return float64(atomic.LoadInt32(&t.running)) }

// Rows is the number of rows handed out.
func (t *Tables) Rows() float64 { return float64(atomic.LoadUint64(&t.rows)) }

func (t *Tables) row(n int) []string {
	cells := make([]string, 24)
	for i := range cells {
		cells[i] = fmt.Sprintf("%d.%02d", (n*i)%977, i)
	}
	return cells
}

// export writes a table as it is read.
func (t *Tables) export(c *portico.Call) error {
	atomic.AddInt32(&t.running, 1)
	defer atomic.AddInt32(&t.running, -1)
	c.W.Header().Set("Content-Type", "text/csv")
	c.Status(http.StatusOK)
	out := bufio.NewWriterSize(c.W, 8<<10)
	for n := 0; n < t.size; n++ {
		if _, err := out.WriteString(strings.Join(t.row(n), ";") + "\n"); err != nil {
			return nil
		}
		atomic.AddUint64(&t.rows, 1)
	}
	return out.Flush()
}
