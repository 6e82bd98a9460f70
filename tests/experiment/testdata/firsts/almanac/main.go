// Almanac knows the tides of harbours. Those of one are computed when they are first asked for, and kept up to date.
package main

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/firsts/serve"
)

const harbours = 20

type tides struct {
	once  sync.Once
	table atomic.Pointer[[]float64]
}

func (t *tides) refresh(number int) {
	for {
		table := make([]float64, 2048)
		for i := range table {
			table[i] = math.Sin(float64(i*number)) * 4
		}
		t.table.Store(&table)
		time.Sleep(700 * time.Millisecond)
	}
}

func (t *tides) at(number, hour int) float64 {
	t.once.Do(func() {
		table := make([]float64, 2048)
		t.table.Store(&table)
		go t.refresh(number)
	})
	return (*t.table.Load())[hour%2048]
}

func main() {
	var all [harbours]tides
	http.HandleFunc("/tides/", func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/tides/"))
		if err != nil {
			http.Error(w, "no such harbour", http.StatusNotFound)
			return
		}
		number %= harbours
		fmt.Fprintln(w, all[number].at(number, time.Now().Hour()))
	})
	serve.Run()
}
