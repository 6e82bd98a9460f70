package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Person can be reached.
type Person struct {
	Name  string `json:"name"`
	Phone string `json:"phone"`
}

// Roster says who is on call in which team.
type Roster struct {
	teams int

	mu      sync.RWMutex
	people  map[string]Person
	members map[int][]string
	current map[int]string
}

// NewRoster returns a roster of made-up teams.
func NewRoster(teams, size int) *Roster {
	r := &Roster{teams: teams, people: map[string]Person{}, members: map[int][]string{}, current: map[int]string{}}
	for team := 0; team < teams; team++ {
		for i := 0; i < size; i++ {
			id := fmt.Sprintf("p%02d%02d", team, i)
			r.people[id] = Person{Name: strings.ToUpper(id), Phone: fmt.Sprintf("+47 22 %02d %02d", team, i)}
			r.members[team] = append(r.members[team], id)
		}
		r.current[team] = r.members[team][0]
	}
	return r
}

// Card is what a caller sees of a team.
type Card struct {
	OnCall string   `json:"on_call"`
	Lines  []string `json:"lines"`
}

// Card returns the card of a team.
func (r *Roster) Card(team int) (Card, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	ids, ok := r.members[team]
	if !ok {
		return Card{}, fmt.Errorf("no team %d", team)
	}
	card := Card{OnCall: r.current[team]}
	for _, id := range ids {
		card.Lines = append(card.Lines, r.line(id))
	}
	return card, nil
}

// line is one person's line on a card.
func (r *Roster) line(id string) string {
	p, _ := r.Contact(id)
	return paint(p)
}

// Contact returns how to reach a person.
func (r *Roster) Contact(id string) (Person, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.people[id]
	return p, ok
}

// Assign puts another member of a team on call.
func (r *Roster) Assign(team, member int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current[team] = r.members[team][member%len(r.members[team])]
}

// paint draws the line with the photo of the person, which comes from the picture cache.
func paint(p Person) string {
	time.Sleep(9 * time.Millisecond)
	return fmt.Sprintf("%-12s %s", p.Name, p.Phone)
}
