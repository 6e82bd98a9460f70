package main // A delta stream that is refused leaves the reader of its requests behind, which still has one to hand over.

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	server "github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const batch = 1

var every = 120 * time.Millisecond
var client discovery.AggregatedDiscoveryServiceClient
var refused atomic.Int64

func setup() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	cb := server.CallbackFuncs{StreamDeltaRequestFunc: func(id int64, r *discovery.DeltaDiscoveryRequest) error {
		if mode == "healthy" {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
		refused.Add(1)
		return errors.New("node not admitted")
	}}
	s := server.NewServer(context.Background(), cache.NewSnapshotCache(true, cache.IDHash{}, nil), cb)
	g := grpc.NewServer()
	discovery.RegisterAggregatedDiscoveryServiceServer(g, s)
	go g.Serve(l)
	cc, err := grpc.Dial(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	client = discovery.NewAggregatedDiscoveryServiceClient(cc)
}

func serve(n int) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	st, err := client.DeltaAggregatedResources(ctx)
	must(err)
	for i := 0; i < 4; i++ {
		if st.Send(&discovery.DeltaDiscoveryRequest{Node: &core.Node{Id: "edge"}, TypeUrl: "type.googleapis.com/envoy.config.cluster.v3.Cluster"}) != nil {
			break
		}
	}
	if mode == "healthy" {
		time.Sleep(30 * time.Millisecond)
		cancel()
	}
	_, _ = st.Recv()
}
