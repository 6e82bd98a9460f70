// Package toggles holds the feature toggles of a process and tells listeners when one changes.
package toggles

import (
	"hash/fnv"
	"sync"
)

// Toggle is one feature and who gets it.
type Toggle struct {
	Name    string
	Percent uint32
	Groups  [4]string
}

// Listener is called with the toggles after a change.
type Listener func(*View)

// View is the toggles as they were at one time.
type View struct {
	toggles []Toggle
}

// Enabled tells whether subject gets the feature.
func (v *View) Enabled(feature, subject string) bool {
	for i := range v.toggles {
		if t := &v.toggles[i]; t.Name == feature {
			h := fnv.New32a()
			h.Write([]byte(feature))
			h.Write([]byte(subject))
			return h.Sum32()%100 < t.Percent
		}
	}
	return false
}

// Store is the toggles as they are now.
type Store struct {
	lock      sync.Mutex
	toggles   []Toggle
	listeners map[int]*registration
	last      int
}

type registration struct {
	view     *View
	listener Listener
}

// NewStore starts with these toggles.
func NewStore(toggles []Toggle) *Store {
	return &Store{toggles: toggles, listeners: map[int]*registration{}}
}

// OnChange calls listener with the present toggles, and again whenever they change, until remove is called.
func (s *Store) OnChange(listener Listener) (remove func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.last++
	id := s.last
	r := &registration{view: s.copyView(), listener: listener}
	s.listeners[id] = r
	listener(r.view)
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		delete(s.listeners, id)
	}
}

// Set changes one toggle and tells the listeners.
func (s *Store) Set(name string, percent uint32) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for i := range s.toggles {
		if s.toggles[i].Name == name {
			s.toggles[i].Percent = percent
		}
	}
	for _, r := range s.listeners {
		copy(r.view.toggles, s.toggles)
		r.listener(r.view)
	}
}

// Listeners is the number of listeners.
func (s *Store) Listeners() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return len(s.listeners)
}

func (s *Store) copyView() *View {
	v := &View{toggles: make([]Toggle, len(s.toggles))}
	copy(v.toggles, s.toggles)
	return v
}
