// Command bookings answers which seats are taken, from PostgreSQL.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/lib/pq"

	"example.com/market/telemetry"
)

type store interface {
	taken(flight string) (string, error)
}

type library struct{ db *sql.DB }

func (l library) taken(flight string) (string, error) {
	rows, err := l.db.Query("select generate_series(1, 50) where $1 <> ''", flight)
	if err != nil {
		return "", err
	}
	var seat string
	if rows.Next() {
		err = rows.Scan(&seat)
	}
	return seat, err
}

type pooled struct{ pool *pgxpool.Pool }

func (p pooled) taken(flight string) (string, error) {
	rows, err := p.pool.Query(context.Background(), "select generate_series(1, 50) where $1 <> ''", flight)
	if err != nil {
		return "", err
	}
	var seat int
	if rows.Next() {
		err = rows.Scan(&seat)
	}
	return fmt.Sprint(seat), err
}

type desk struct{ store store }

func (d desk) seats(w http.ResponseWriter, r *http.Request) {
	seat, err := d.store.taken(r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	fmt.Fprintln(w, seat)
}

func main() {
	telemetry.Serve()
	var d desk
	if os.Getenv("DRIVER") == "pgx" {
		pool, err := pgxpool.New(context.Background(), os.Getenv("DATABASE")+"&pool_max_conns=5")
		if err != nil {
			log.Fatal(err)
		}
		d.store = pooled{pool}
	} else {
		db, err := sql.Open("postgres", os.Getenv("DATABASE"))
		if err != nil {
			log.Fatal(err)
		}
		db.SetMaxOpenConns(5)
		d.store = library{db}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/seats", d.seats)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
