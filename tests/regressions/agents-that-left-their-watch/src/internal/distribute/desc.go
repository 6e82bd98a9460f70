package distribute

import (
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
)

type follower interface {
	Follow(*structpb.Struct, grpc.ServerStream) error
}

func followHandler(srv any, ss grpc.ServerStream) error {
	req := new(structpb.Struct)
	if err := ss.RecvMsg(req); err != nil {
		return err
	}
	return srv.(follower).Follow(req, ss)
}

// Desc is the service description; agents in other languages use fleet.v1.proto.
var Desc = grpc.ServiceDesc{
	ServiceName: "vantarail.fleet.v1.Distribution",
	HandlerType: (*follower)(nil),
	Streams: []grpc.StreamDesc{{
		StreamName: "Follow", Handler: followHandler, ServerStreams: true,
	}},
	Metadata: "fleet/v1/fleet.proto",
}

// Register puts s on srv.
func Register(srv *grpc.Server, s *Service) { srv.RegisterService(&Desc, s) }
