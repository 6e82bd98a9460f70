package main

import (
	"database/sql"
	"errors"
)

var errSoldOut = errors.New("a leg of this journey is sold out")

// Fares is what journeys cost, leg by leg.
type Fares struct {
	db *sql.DB
}

// OpenFares reads them from a ledger, over so many connections at most.
func OpenFares(address string, connections int) (*Fares, error) {
	db, err := sql.Open("ledger", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return &Fares{db: db}, db.Ping()
}

// Cheapest returns the lowest price of a journey.
func (f *Fares) Cheapest(journey int) (int64, error) {
	rows, err := f.db.Query("legs", journey)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var total int64
	for rows.Next() {
		var cents, seats int64
		if err := rows.Scan(&cents, &seats); err != nil {
			return 0, err
		}
		total += cents
	}
	return total, rows.Err()
}

// Book takes a seat on every leg of a journey and returns how many legs there are.
func (f *Fares) Book(journey int) (int64, error) {
	rows, err := f.db.Query("legs", journey)
	if err != nil {
		return 0, err
	}
	var legs int64
	for rows.Next() {
		var cents, seats int64
		if err := rows.Scan(&cents, &seats); err != nil {
			rows.Close()
			return 0, err
		}
		if seats == 0 {
			return 0, errSoldOut
		}
		legs++
	}
	return legs, rows.Close()
}
