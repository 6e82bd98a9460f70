// Command traffic plays the platform and the merchants on loopback.
package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	target := os.Getenv("TARGET")
	secs, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("STUB_PORT"))
	if err != nil {
		panic(err)
	}
	go http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/closed-shop":
			w.WriteHeader(http.StatusGone)
		case rand.IntN(12) == 0:
			w.WriteHeader(http.StatusBadGateway)
		default:
			time.Sleep(time.Duration(20+rand.IntN(200)) * time.Millisecond)
			w.WriteHeader(http.StatusOK)
		}
	}))
	for m := range 20 {
		path := "/hooks"
		if m%10 == 7 {
			path = "/closed-shop"
		}
		req, _ := http.NewRequest("PUT", fmt.Sprintf("%s/v1/endpoints/m%02d", target, m),
			bytes.NewReader(fmt.Appendf(nil, `{"URL":"http://%s%s","Secret":"s%d"}`, ln.Addr(), path, m)))
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}
	end := time.Now().Add(time.Duration(secs) * time.Second)
	for n := 0; time.Now().Before(end); n++ {
		body := fmt.Appendf(nil, `{"id":"ev_%06d","type":"payment.settled","merchant":"m%02d","data":{"amount":%d,"note":"%0512d"}}`, n, rand.IntN(20), n*7, n)
		if resp, err := http.Post(target+"/v1/events", "application/json", bytes.NewReader(body)); err == nil {
			resp.Body.Close()
		}
		time.Sleep(60 * time.Millisecond)
	}
	time.Sleep(60 * time.Second)
}
