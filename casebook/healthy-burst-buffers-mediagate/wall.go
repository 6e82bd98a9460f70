package main

import (
	"fmt"
	"net/http"

	"example.org/granaryworks/granary/chassis"
)

// A Wall is a set of players that show the same pictures; it has a keeper while the service runs.
type Wall struct {
	name  string
	shows chan string
}

// wall shows the pictures of one of 45 walls.
func (g *Gate) wall(w http.ResponseWriter, r *http.Request) {
	name := chassis.Tail(r, "/wall/")
	sum := 0
	for _, c := range name {
		sum = 10*sum + int(c-'0')
	}
	key := fmt.Sprintf("wall-%02d", sum%45)
	g.mu.Lock()
	wall := g.walls[key]
	if wall == nil {
		wall = &Wall{name: key, shows: make(chan string)}
		g.walls[key] = wall
		go g.keeper(wall)
		go g.keeper(wall)
	}
	g.mu.Unlock()
	wall.shows <- name
	fmt.Fprintf(w, "%s shows %s\n", key, name)
}

func (g *Gate) keeper(wall *Wall) {
	for picture := range wall.shows {
		g.events.Note(wall.name + " shows " + picture)
	}
}
