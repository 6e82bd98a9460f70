package main

import (
	"fmt"
	"time"
)

type linkConfig struct {
	name  string
	every time.Duration
}

type config struct {
	revision int
	links    []linkConfig
}

// loadConfig stands for the file that the fleet office rewrites.
func loadConfig(revision int) config {
	c := config{revision: revision}
	for i, kind := range []string{"vsat", "hf", "lte", "mesh", "wifi", "iridium", "fibre"} {
		c.links = append(c.links, linkConfig{
			name:  fmt.Sprintf("%s-%d", kind, revision%3),
			every: time.Duration(10+i) * time.Minute,
		})
	}
	return c
}
