package tidefeed

import (
	"bufio"
	"fmt"
	"net"
	"time"
)

// Publish writes one reading of every station to the connection at each interval, until the peer is gone.
func Publish(conn net.Conn, stations []string, interval time.Duration) error {
	defer conn.Close()
	out := bufio.NewWriter(conn)
	pace := time.NewTicker(interval)
	defer pace.Stop()
	for tick := 0; ; tick++ {
		for i, s := range stations {
			fmt.Fprintf(out, "%s %d\n", s, 1800+(tick*7+i*131)%2400)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		<-pace.C
	}
}
