package main // A client stream that is cancelled, not read to its end, leaves the goroutine that would end its span.

import (
	"context"
	"io"
	"net"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	pb "google.golang.org/grpc/health/grpc_health_v1"
)

const batch = 1

var every = 100 * time.Millisecond
var client pb.HealthClient

type short struct{ *health.Server }

// Watch tells the state once and ends.
func (s short) Watch(in *pb.HealthCheckRequest, out pb.Health_WatchServer) error {
	return out.Send(&pb.HealthCheckResponse{Status: pb.HealthCheckResponse_SERVING})
}

func setup() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	s := grpc.NewServer()
	pb.RegisterHealthServer(s, short{health.NewServer()})
	go s.Serve(l)
	cc, err := grpc.Dial(l.Addr().String(), grpc.WithInsecure(), grpc.WithStreamInterceptor(otelgrpc.StreamClientInterceptor()))
	must(err)
	client = pb.NewHealthClient(cc)
}

func serve(n int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	st, err := client.Watch(ctx, &pb.HealthCheckRequest{})
	must(err)
	if _, err = st.Recv(); err != nil {
		panic(err)
	}
	if mode == "healthy" {
		if _, err = st.Recv(); err != io.EOF {
			panic(err)
		}
	}
}
