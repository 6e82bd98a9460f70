// Package ledgerline is a ledger of journeys that is asked over TCP, and its driver for database/sql.
package ledgerline

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

func init() { sql.Register("ledger", dialer{}) }

// Start starts a ledger on a port of its own, which takes so long for each answer: a line asks, lines and an empty one
// answer.
func Start(takes time.Duration) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go answer(conn, takes)
		}
	}()
	return ln.Addr().String(), nil
}

func answer(conn net.Conn, takes time.Duration) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		time.Sleep(takes)
		var journey int64
		_, _ = fmt.Sscanf(lines.Text(), "legs %d", &journey)
		var out strings.Builder
		for leg := int64(0); leg < 6; leg++ {
			seats := 40 - leg
			if journey%9 == 4 && leg == 3 {
				seats = 0
			}
			fmt.Fprintf(&out, "%d %d\n", 900+journey%50*10+leg, seats)
		}
		if _, err := io.WriteString(conn, out.String()+"\n"); err != nil {
			return
		}
	}
}

type dialer struct{}

// Open dials a ledger.
func (dialer) Open(address string) (driver.Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, lines: bufio.NewReader(conn)}, nil
}

type session struct {
	conn  net.Conn
	lines *bufio.Reader
}

func (s *session) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (s *session) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }
func (s *session) Close() error                        { return s.conn.Close() }

// QueryContext asks for the lines of one journey.
func (s *session) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if _, err := fmt.Fprintln(s.conn, query, args[0].Value); err != nil {
		return nil, err
	}
	return &legs{session: s}, nil
}

type legs struct {
	session *session
	ended   bool
}

func (l *legs) Columns() []string { return []string{"cents", "seats"} }

// Close reads what is left, so that the session can be asked again.
func (l *legs) Close() error {
	row := make([]driver.Value, 2)
	for l.Next(row) == nil {
	}
	return nil
}

// Next reads one leg.
func (l *legs) Next(row []driver.Value) error {
	if l.ended {
		return io.EOF
	}
	line, err := l.session.lines.ReadString('\n')
	if err != nil || line == "\n" {
		l.ended = true
		return io.EOF
	}
	var cents, seats int64
	if _, err := fmt.Sscan(line, &cents, &seats); err != nil {
		return err
	}
	row[0], row[1] = cents, seats
	return nil
}
