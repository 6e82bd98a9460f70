package main

import (
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"google.golang.org/grpc/stats"
)

var (
	started = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "grpc_server_started_total",
		Help: "Total number of RPCs started on the server.",
	}, []string{"grpc_service", "grpc_method"})
	handled = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "grpc_server_handled_total",
		Help: "Total number of RPCs completed on the server, regardless of success or failure.",
	}, []string{"grpc_service", "grpc_method"})
)

type methodKey struct{}

// rpcCounter counts calls when they arrive and when they are answered.
type rpcCounter struct{}

func (rpcCounter) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	service, method, _ := strings.Cut(strings.TrimPrefix(info.FullMethodName, "/"), "/")
	started.WithLabelValues(service, method).Inc()
	return context.WithValue(ctx, methodKey{}, [2]string{service, method})
}

func (rpcCounter) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if _, ended := s.(*stats.End); ended {
		called := ctx.Value(methodKey{}).([2]string)
		handled.WithLabelValues(called[0], called[1]).Inc()
	}
}

func (rpcCounter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (rpcCounter) HandleConn(context.Context, stats.ConnStats) {}
