package main // A statement that leaves the full cache is closed at the server, but its description stays in the client.

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

const batch = 10

var every = 50 * time.Millisecond
var db *pgx.Conn

func setup() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() {
		for {
			c, err := l.Accept()
			must(err)
			go postgres(c)
		}
	}()
	db, err = pgx.Connect(context.Background(), fmt.Sprintf("postgres://u@%s/d?sslmode=disable&statement_cache_capacity=32", l.Addr()))
	must(err)
}

func postgres(c net.Conn) {
	b := pgproto3.NewBackend(c, c)
	_, err := b.ReceiveStartupMessage()
	must(err)
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: 1})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	must(b.Flush())
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			b.Send(&pgproto3.ParameterDescription{ParameterOIDs: []uint32{23}})
			b.Send(&pgproto3.NoData{})
		case *pgproto3.Bind:
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Close:
			b.Send(&pgproto3.CloseComplete{})
		case *pgproto3.Execute:
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("UPDATE 1")})
		case *pgproto3.Query:
			_ = m
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("DEALLOCATE")})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		case *pgproto3.Sync:
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		}
		must(b.Flush())
	}
}

func serve(n int) {
	id := n
	if mode == "healthy" {
		id = n % 20
	}
	_, err := db.Exec(context.Background(), fmt.Sprintf("update seats set taken = true where flight = 'LX%d' and row between 1 and 40 and class in ('Y', 'M') and seat = $1", id), 7)
	must(err)
}
