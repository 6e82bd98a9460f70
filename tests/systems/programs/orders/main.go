// Command orders places orders, once their items are reserved.
package main

import (
	"context"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/market/checkoutpb"
	"example.com/market/telemetry"
)

type orders struct{ inventory checkoutpb.InventoryClient }

func (o *orders) Place(ctx context.Context, in *checkoutpb.Request) (*checkoutpb.Reply, error) {
	return o.inventory.Reserve(context.WithoutCancel(ctx), in)
}

func main() {
	telemetry.Serve()
	conn, err := grpc.NewClient(os.Getenv("INVENTORY_ADDR"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Getenv("LISTEN_ADDR"))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	checkoutpb.RegisterOrdersServer(server, &orders{checkoutpb.NewInventoryClient(conn)})
	log.Fatal(server.Serve(listener))
}
