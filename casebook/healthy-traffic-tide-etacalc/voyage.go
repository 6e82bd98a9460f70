package main

import (
	"context"
	"sync"
	"time"

	"example.org/meridian/gangway"
)

const legs = 4

type fleet struct {
	weather *gangway.Neighbour

	mu       sync.Mutex
	order    []string
	arrivals map[string]int
	digest   int
}

func newFleet(weather *gangway.Neighbour) *fleet {
	return &fleet{weather: weather, arrivals: make(map[string]int)}
}

func (f *fleet) simulate(ship string) {
	v := &voyage{ship: ship, wind: make(chan string), hours: make(chan int)}
	go v.sail(f)
}

func (f *fleet) arrived(ship string, hours int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrivals[ship] = hours
	f.order = append(f.order, ship)
	if len(f.order) > 200 {
		delete(f.arrivals, f.order[0])
		f.order = f.order[1:]
	}
}

func (f *fleet) arrival(ship string) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hours, ok := f.arrivals[ship]
	return hours, ok
}

func (f *fleet) publish(crew *gangway.Crew) func(context.Context) {
	return func(context.Context) {
		crew.Do(func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.digest = 0
			for _, hours := range f.arrivals {
				f.digest += hours
			}
		})
	}
}

// voyage is simulated leg by leg; each leg starts when the wind for it is known.
type voyage struct {
	ship  string
	wind  chan string
	hours chan int
}

func (v *voyage) sail(f *fleet) {
	var done sync.WaitGroup
	done.Add(legs)
	for i := 0; i < legs; i++ {
		go func() {
			defer done.Done()
			v.leg()
		}()
	}
	go v.observe(f)
	total := make(chan int, 1)
	go v.sum(total)
	done.Wait()
	close(v.hours)
	f.arrived(v.ship, <-total)
}

func (v *voyage) leg() {
	wind := <-v.wind
	time.Sleep(200 * time.Millisecond)
	v.hours <- 6 + len(wind)
}

func (v *voyage) observe(f *fleet) {
	for i := 0; i < legs; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		wind, err := f.weather.Get(ctx, "/wind/"+v.ship)
		cancel()
		if err != nil {
			wind = []byte("calm")
		}
		time.Sleep(900 * time.Millisecond)
		v.wind <- strongest(wind)
	}
}

// strongest spreads the forecast over the grid of the leg and returns the worst of it.
func strongest(forecast []byte) string {
	grid := make([]byte, 96<<10)
	for i := range grid {
		grid[i] = forecast[i%len(forecast)]
	}
	worst := grid[0]
	for _, cell := range grid {
		if cell > worst {
			worst = cell
		}
	}
	return string(append(grid[:4:4], worst))
}

func (v *voyage) sum(total chan<- int) {
	n := 0
	for h := range v.hours {
		n += h
	}
	total <- n
}
