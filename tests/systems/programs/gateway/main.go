// Command gateway turns checkouts of the shop into orders.
package main

import (
	"log"
	"net/http"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/market/checkoutpb"
	"example.com/market/telemetry"
)

type gateway struct{ orders checkoutpb.OrdersClient }

func (g *gateway) checkout(w http.ResponseWriter, r *http.Request) {
	reply, err := g.orders.Place(r.Context(), wrapperspb.String(r.URL.Query().Get("cart")))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write([]byte(reply.GetValue()))
}

func main() {
	telemetry.Serve()
	conn, err := grpc.NewClient(os.Getenv("ORDERS_ADDR"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	g := &gateway{checkoutpb.NewOrdersClient(conn)}
	mux := http.NewServeMux()
	mux.HandleFunc("/checkout", g.checkout)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
