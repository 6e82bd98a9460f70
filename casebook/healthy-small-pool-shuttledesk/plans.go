package main

import (
	"database/sql"
	"log"
	"sync/atomic"
)

// Plans are the shuttles that groups of travellers take.
type Plans struct {
	db   *sql.DB
	made atomic.Int64
}

// Make plans the journey of one group.
func (p *Plans) Make(journey int) {
	seats, err := p.seats(journey)
	if err != nil {
		log.Printf("group %d: %v", journey, err)
		return
	}
	if seats > 0 {
		p.made.Add(1)
	}
}

// seats returns how many seats are free on the legs of a journey, up to the first that is full.
func (p *Plans) seats(journey int) (int64, error) {
	rows, err := p.db.Query("legs", journey)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var free int64
	for rows.Next() {
		var cents, seats int64
		if err := rows.Scan(&cents, &seats); err != nil {
			return 0, err
		}
		if seats == 0 {
			return free, nil
		}
		free += seats
	}
	return free, rows.Err()
}
