// Package ledger books parcels.
package ledger

import (
	"fmt"
	"sync"
)

// Entry is what is known of a parcel.
type Entry struct {
	Number string
	Label  []byte
}

var (
	mu        sync.Mutex
	booked    int
	history   = map[string]*Entry{}
	listeners []func(*Entry)
	recent    [64]*Entry
)

// Book takes a parcel in.
func Book() *Entry {
	mu.Lock()
	defer mu.Unlock()
	booked++
	entry := &Entry{Number: fmt.Sprint("P", booked), Label: make([]byte, 2048)}
	history[entry.Number] = entry
	return entry
}

// Weigh takes a parcel in that only the latest 64 of are kept.
func Weigh() *Entry {
	mu.Lock()
	defer mu.Unlock()
	booked++
	entry := &Entry{Number: fmt.Sprint("W", booked), Label: make([]byte, 2048)}
	recent[booked%len(recent)] = entry
	return entry
}

// Listen calls a function for every parcel from now on.
func Listen(told func(*Entry)) {
	mu.Lock()
	defer mu.Unlock()
	listeners = append(listeners, told)
}
