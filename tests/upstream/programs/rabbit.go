package main // A broker that confirms the end of a connection twice: what dispatches its frames has no reader for the second.

import (
	"encoding/binary"
	"io"
	"net"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const batch = 1

var every = 200 * time.Millisecond
var addr string

func setup() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	addr = l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			must(err)
			go broker(c)
		}
	}()
}

func frame(c net.Conn, class, method uint16, body []byte) {
	p := binary.BigEndian.AppendUint16(nil, class)
	p = append(binary.BigEndian.AppendUint16(p, method), body...)
	f := binary.BigEndian.AppendUint32([]byte{1, 0, 0}, uint32(len(p)))
	c.Write(append(append(f, p...), 0xce))
}

func broker(c net.Conn) {
	defer c.Close()
	io.ReadFull(c, make([]byte, 8))
	frame(c, 10, 10, append([]byte{0, 9, 0, 0, 0, 0, 0, 0, 0, 5}, append([]byte("PLAIN"), append([]byte{0, 0, 0, 5}, "en_US"...)...)...))
	for {
		h := make([]byte, 7)
		if _, err := io.ReadFull(c, h); err != nil {
			return
		}
		p := make([]byte, binary.BigEndian.Uint32(h[3:])+1)
		if _, err := io.ReadFull(c, p); err != nil {
			return
		}
		if h[0] != 1 {
			continue
		}
		switch binary.BigEndian.Uint16(p[2:]) {
		case 11:
			frame(c, 10, 30, []byte{0, 100, 0, 1, 0, 0, 0, 60})
		case 40:
			frame(c, 10, 41, []byte{0})
		case 50:
			frame(c, 10, 51, nil)
			if mode != "healthy" { // a broker that was told twice answers twice
				frame(c, 10, 51, nil)
			}
			time.Sleep(time.Second)
			return
		}
	}
}

func serve(n int) {
	c, err := amqp.Dial("amqp://guest:guest@" + addr + "/")
	must(err)
	_ = c.Close()
}
