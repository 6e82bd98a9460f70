package main

import (
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

// A Schema has the columns of a kind of table and the statistics over them.
type Schema struct {
	columns []string
	stats   []float64
}

// Tables makes tables.
type Tables struct {
	schemas []*Schema
	lane    *lane.Lane
}

func loadSchemas(n int) []*Schema {
	all := make([]*Schema, n)
	for i := range all {
		all[i] = loadSchema(i)
	}
	return all
}

func loadSchema(kind int) *Schema {
	s := &Schema{stats: make([]float64, 12<<10)}
	for c := 0; c < 6; c++ {
		s.columns = append(s.columns, fmt.Sprintf("column_%d_%d", kind, c))
	}
	for i := range s.stats {
		s.stats[i] = float64(i % (kind + 1))
	}
	return s
}

// A row of a table.
type row struct {
	key   string
	cells []string
}

func (t *Tables) make(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/table/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var rows []*row
	t.lane.Wait(func() { rows = t.rows(n) })
	out := render(rows)
	w.Write(out[:2048])
}

func (t *Tables) rows(n int) []*row {
	s := t.schemas[n%len(t.schemas)]
	rows := make([]*row, 0, 1500)
	for i := 0; i < 1500; i++ {
		cells := make([]string, len(s.columns))
		for c, column := range s.columns {
			cells[c] = column + "=" + strconv.FormatFloat(s.stats[(i*7+c)%len(s.stats)], 'f', 3, 64)
		}
		rows = append(rows, &row{key: strconv.Itoa((i * 7919) % 1500), cells: cells})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].key < rows[j].key })
	return rows
}

func render(rows []*row) []byte {
	out := make([]byte, 0, 256<<10)
	for _, r := range rows {
		out = append(out, r.key...)
		out = append(out, strings.Join(r.cells, "\t")...)
		out = append(out, '\n')
	}
	return out
}
