// Couriers deliver parcels. There are as many as there is work, up to a limit; one without work goes home.
package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/firsts/serve"
)

const (
	most    = 24
	goHome  = 1500 * time.Millisecond
	perTrip = 4 * time.Millisecond
)

type parcel struct {
	to   string
	done chan struct{}
}

type depot struct {
	parcels chan parcel
	mu      sync.Mutex
	atWork  int
}

func (d *depot) deliver(p parcel) {
	select {
	case d.parcels <- p:
		return
	default:
	}
	d.mu.Lock()
	if d.atWork < most {
		d.atWork++
		go d.courier()
	}
	d.mu.Unlock()
	d.parcels <- p
}

func (d *depot) courier() {
	idle := time.NewTimer(goHome)
	defer idle.Stop()
	for {
		select {
		case p := <-d.parcels:
			time.Sleep(perTrip)
			close(p.done)
			if !idle.Stop() {
				<-idle.C
			}
			idle.Reset(goHome)
		case <-idle.C:
			d.mu.Lock()
			d.atWork--
			d.mu.Unlock()
			return
		}
	}
}

func main() {
	d := &depot{parcels: make(chan parcel)}
	http.HandleFunc("/parcels", func(w http.ResponseWriter, r *http.Request) {
		waiting := make([]parcel, 3)
		for i := range waiting {
			waiting[i] = parcel{fmt.Sprintf("%s-%d", r.URL.Query().Get("to"), i), make(chan struct{})}
			d.deliver(waiting[i])
		}
		for _, p := range waiting {
			<-p.done
		}
		fmt.Fprintln(w, "delivered")
	})
	serve.Run()
}
