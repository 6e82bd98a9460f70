// Badday is a Go server that does what Go servers do on a bad day: it cuts answers at its write time-out, aborts, wants
// certificates, speaks HTTP/2 alone. It prints an address for each way it listens, and ends with its standard input.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetOutput(io.Discard)
	testdata, socket := os.Args[1], os.Args[2]
	http.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "goroutine profile: total 3\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	http.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 100000))
		w.(http.Flusher).Flush()
		time.Sleep(500 * time.Millisecond)
		fmt.Fprint(w, "late")
	})
	http.Handle("/busy", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}), 50*time.Millisecond, "too slow"))

	plain := &http.Server{IdleTimeout: 50 * time.Millisecond, WriteTimeout: 300 * time.Millisecond}
	serve("plain", plain.Serve, "tcp", "127.0.0.1:0")
	serve("unix", plain.Serve, "unix", socket)

	pair, err := tls.LoadX509KeyPair(testdata+"/server.pem", testdata+"/server.pem")
	check(err)
	authority, err := os.ReadFile(testdata + "/authority.crt")
	check(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	secure := &http.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	serve("tls", func(l net.Listener) error { return secure.ServeTLS(l, "", "") }, "tcp", "127.0.0.1:0")
	mutual := &http.Server{TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted,
	}}
	serve("mutual", func(l net.Listener) error { return mutual.ServeTLS(l, "", "") }, "tcp", "127.0.0.1:0")

	two := &http.Server{Protocols: new(http.Protocols)}
	two.Protocols.SetUnencryptedHTTP2(true)
	serve("http2", two.Serve, "tcp", "127.0.0.1:0")

	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}

func serve(name string, serve func(net.Listener) error, network, address string) {
	listener, err := net.Listen(network, address)
	check(err)
	fmt.Println(name, listener.Addr())
	go serve(listener)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
