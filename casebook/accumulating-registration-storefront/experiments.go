package main

import (
	"fmt"
	"sync"

	"example.org/kestrelops/switchyard/toggles"
)

// Experiments answers which features a visitor gets, and remembers what it answered.
type Experiments struct {
	mu      sync.Mutex
	view    *toggles.View
	answers [16]answer
	used    int
}

type answer struct {
	feature string
	subject string
	active  bool
}

// NewExperiments follows the toggles of store.
func NewExperiments(store *toggles.Store) *Experiments {
	x := &Experiments{}
	store.OnChange(x.refresh)
	return x
}

func (x *Experiments) refresh(v *toggles.View) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.view = v
	x.used = 0
}

// Active tells whether the subject gets the feature.
func (x *Experiments) Active(feature, subject string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, a := range x.answers[:x.used] {
		if a.feature == feature && a.subject == subject {
			return a.active
		}
	}
	active := x.view.Enabled(feature, subject)
	if x.used < len(x.answers) {
		x.answers[x.used] = answer{feature, subject, active}
		x.used++
	}
	return active
}

func features() []toggles.Toggle {
	list := []toggles.Toggle{
		{Name: "new-stock-badge", Percent: 60},
		{Name: "wide-layout", Percent: 50},
	}
	for i := 0; i < 150; i++ {
		list = append(list, toggles.Toggle{Name: fmt.Sprintf("experiment-%03d", i), Percent: uint32(i % 100)})
	}
	return list
}
