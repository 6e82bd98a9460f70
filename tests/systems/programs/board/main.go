// Command board shows the levels of the shelves: one stream for each screen.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/market/checkoutpb"
	"example.com/market/telemetry"
)

func follow(client checkoutpb.InventoryClient, shelf string) {
	stream, err := client.Watch(context.Background(), wrapperspb.String(shelf))
	if err != nil {
		log.Fatal(err)
	}
	for {
		if _, err := stream.Recv(); err != nil {
			log.Print(err)
			return
		}
	}
}

func main() {
	telemetry.Serve()
	conn, err := grpc.NewClient(os.Getenv("INVENTORY_ADDR"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	client := checkoutpb.NewInventoryClient(conn)
	go func() {
		for screen := range 40 {
			go follow(client, string(rune('a'+screen%3)))
			time.Sleep(time.Second)
		}
	}()
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), http.NotFoundHandler()))
}
