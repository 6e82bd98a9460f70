// Package checkoutpb has the stubs of two services, in the form that protoc-gen-go-grpc writes them.
package checkoutpb

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type (
	Request = wrapperspb.StringValue
	Reply   = wrapperspb.StringValue
)

type OrdersClient interface {
	Place(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error)
}

type ordersClient struct{ cc grpc.ClientConnInterface }

func NewOrdersClient(cc grpc.ClientConnInterface) OrdersClient { return &ordersClient{cc} }

func (c *ordersClient) Place(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error) {
	out := new(Reply)
	if err := c.cc.Invoke(ctx, "/checkout.v1.Orders/Place", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

type OrdersServer interface {
	Place(context.Context, *Request) (*Reply, error)
}

func RegisterOrdersServer(s grpc.ServiceRegistrar, srv OrdersServer) { s.RegisterService(&ordersDesc, srv) }

func _Orders_Place_Handler(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
	in := new(Request)
	if err := dec(in); err != nil {
		return nil, err
	}
	if interceptor == nil {
		return srv.(OrdersServer).Place(ctx, in)
	}
	info := &grpc.UnaryServerInfo{Server: srv, FullMethod: "/checkout.v1.Orders/Place"}
	handler := func(ctx context.Context, req any) (any, error) {
		return srv.(OrdersServer).Place(ctx, req.(*Request))
	}
	return interceptor(ctx, in, info, handler)
}

var ordersDesc = grpc.ServiceDesc{
	ServiceName: "checkout.v1.Orders",
	HandlerType: (*OrdersServer)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Place", Handler: _Orders_Place_Handler}},
}

type InventoryClient interface {
	Reserve(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error)
	Watch(ctx context.Context, in *Request, opts ...grpc.CallOption) (grpc.ServerStreamingClient[Reply], error)
}

type inventoryClient struct{ cc grpc.ClientConnInterface }

func NewInventoryClient(cc grpc.ClientConnInterface) InventoryClient { return &inventoryClient{cc} }

func (c *inventoryClient) Reserve(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error) {
	out := new(Reply)
	if err := c.cc.Invoke(ctx, "/checkout.v1.Inventory/Reserve", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *inventoryClient) Watch(ctx context.Context, in *Request, opts ...grpc.CallOption) (grpc.ServerStreamingClient[Reply], error) {
	stream, err := c.cc.NewStream(ctx, &inventoryDesc.Streams[0], "/checkout.v1.Inventory/Watch", opts...)
	if err != nil {
		return nil, err
	}
	x := &grpc.GenericClientStream[Request, Reply]{ClientStream: stream}
	if err := x.ClientStream.SendMsg(in); err != nil {
		return nil, err
	}
	return x, x.ClientStream.CloseSend()
}

type InventoryServer interface {
	Reserve(context.Context, *Request) (*Reply, error)
	Watch(*Request, grpc.ServerStreamingServer[Reply]) error
}

func RegisterInventoryServer(s grpc.ServiceRegistrar, srv InventoryServer) {
	s.RegisterService(&inventoryDesc, srv)
}

func _Inventory_Reserve_Handler(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
	in := new(Request)
	if err := dec(in); err != nil {
		return nil, err
	}
	if interceptor == nil {
		return srv.(InventoryServer).Reserve(ctx, in)
	}
	info := &grpc.UnaryServerInfo{Server: srv, FullMethod: "/checkout.v1.Inventory/Reserve"}
	handler := func(ctx context.Context, req any) (any, error) {
		return srv.(InventoryServer).Reserve(ctx, req.(*Request))
	}
	return interceptor(ctx, in, info, handler)
}

func _Inventory_Watch_Handler(srv any, stream grpc.ServerStream) error {
	m := new(Request)
	if err := stream.RecvMsg(m); err != nil {
		return err
	}
	return srv.(InventoryServer).Watch(m, &grpc.GenericServerStream[Request, Reply]{ServerStream: stream})
}

var inventoryDesc = grpc.ServiceDesc{
	ServiceName: "checkout.v1.Inventory",
	HandlerType: (*InventoryServer)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Reserve", Handler: _Inventory_Reserve_Handler}},
	Streams:     []grpc.StreamDesc{{StreamName: "Watch", Handler: _Inventory_Watch_Handler, ServerStreams: true}},
}
