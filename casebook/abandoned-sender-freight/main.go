package main

import (
	"context"
	"log"
	"time"

	"example.com/tidewater/freight/internal/carrier"
	"example.com/tidewater/freight/internal/desk"
	"example.org/harborworks/harbor"
)

func main() {
	book, err := carrier.StartBook()
	if err != nil {
		log.Fatal(err)
	}
	svc := harbor.New("freight")
	client := carrier.NewClient(book.URL(), 48)
	board := newRateBoard(36)
	d := desk.New(client, 800*time.Millisecond)

	svc.Background(board.publish)
	svc.Background(func(ctx context.Context) { fuelSurcharge(ctx, d) })
	api := &api{desk: d, board: board, metrics: svc.Metrics}
	svc.Route("/quote/domestic/", api.quote("domestic"))
	svc.Route("/quote/transpacific/", api.quote("transpacific"))
	svc.Route("/rates", api.rates)
	svc.Main()
}

// fuelSurcharge adjusts the surcharge as the index moves.
func fuelSurcharge(ctx context.Context, d *desk.Desk) {
	tick := time.NewTicker(3 * time.Second)
	defer tick.Stop()
	for round := 0; ; round++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			d.SetSurcharge(110 + round%7)
		}
	}
}
