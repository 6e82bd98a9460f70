// Command transmitter stands in for the radio transmitters: a line protocol, one port for all of them.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8090", "address to serve on")
	radio := flag.String("radio", "127.0.0.1:8091", "address of the line protocol")
	flag.Parse()
	ln, err := net.Listen("tcp", *radio)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go serve(conn)
		}
	}()
	log.Fatal(http.ListenAndServe(*listen, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})))
}

func serve(conn net.Conn) {
	in := bufio.NewScanner(conn)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch {
		case len(words) == 0:
		case words[0] == "CONTROL":
			go func() {
				for {
					time.Sleep(3 * time.Second)
					if _, err := fmt.Fprintln(conn, "CARRIER ok"); err != nil {
						return
					}
				}
			}()
		case words[0] == "PAGE" && strings.HasSuffix(words[1], "00"):
			// A transmitter under maintenance takes the page and does not acknowledge it.
		default:
			time.Sleep(10 * time.Millisecond)
			fmt.Fprintln(conn, "SENT")
		}
	}
}
