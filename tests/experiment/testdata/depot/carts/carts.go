// Package carts moves parcels inside of the depot.
package carts

import "sync"

var (
	once  sync.Once
	tasks = make(chan func(), 16)
	turn  int
)

// Move has a cart carry a parcel; the carts are started when they are first needed.
func Move(done *sync.WaitGroup) {
	once.Do(func() {
		for i := 0; i < 4; i++ {
			go func() {
				for task := range tasks {
					task()
				}
			}()
		}
	})
	done.Add(1)
	tasks <- done.Done
}

// Call calls a cart; every third call is never answered.
func Call() {
	turn++
	answered := make(chan struct{})
	if turn%3 != 0 {
		close(answered)
	}
	go func() { <-answered }()
}
