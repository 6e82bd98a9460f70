package main

import "fmt"

func defaultRoster() []*Member {
	ranks := []string{"bosun", "mate", "cook", "oiler", "deckhand"}
	var all []*Member
	for watch := 1; watch <= 5; watch++ {
		for _, rank := range ranks {
			all = append(all, &Member{Name: fmt.Sprintf("%s-%d", rank, watch), Watch: watch})
		}
	}
	return all
}
