// Package distribute is the gRPC side: agents follow the revisions of their group.
package distribute

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"git.vantarail.net/fleet/fleetcfg/internal/rollout"
)

var (
	streams = promauto.NewCounter(prometheus.CounterOpts{
		Name: "fleetcfg_streams_opened_total", Help: "Follow streams accepted.",
	})
	sent = promauto.NewCounter(prometheus.CounterOpts{
		Name: "fleetcfg_revisions_sent_total", Help: "Revisions sent to agents.",
	})
)

// Metrics counts streams.
func Metrics(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
	streams.Inc()
	return h(srv, ss)
}

// Service answers agents.
type Service struct{ board *rollout.Board }

// New returns the service over b.
func New(b *rollout.Board) *Service { return &Service{board: b} }

// Follow sends the current revision and every newer one until the agent goes.
func (s *Service) Follow(req *structpb.Struct, ss grpc.ServerStream) error {
	name := req.GetFields()["group"].GetStringValue()
	if name == "" {
		return status.Error(codes.InvalidArgument, "group missing")
	}
	have := int64(req.GetFields()["have"].GetNumberValue())
	g := s.board.Group(name)
	for ss.Context().Err() == nil {
		rev := g.After(have)
		msg, err := encode(name, rev)
		if err != nil {
			return status.Error(codes.Internal, err.Error())
		}
		if err := ss.SendMsg(msg); err != nil {
			return err
		}
		sent.Inc()
		have = rev.Number
	}
	return status.FromContextError(ss.Context().Err()).Err()
}

func encode(group string, rev rollout.Revision) (*structpb.Struct, error) {
	body := make(map[string]any, len(rev.Body))
	for k, v := range rev.Body {
		body[k] = v
	}
	return structpb.NewStruct(map[string]any{"group": group, "revision": float64(rev.Number), "body": body})
}
