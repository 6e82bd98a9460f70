package portico

import (
	"context"
	"net"
)

// SendBuffer is the size of a connection's send buffer; 0 leaves it to the system. Set it before Keep.
var SendBuffer int

func tune(ctx context.Context, c net.Conn) context.Context {
	if tcp, ok := c.(*net.TCPConn); ok && SendBuffer > 0 {
		_ = tcp.SetWriteBuffer(SendBuffer)
	}
	return ctx
}
