// Command traffic plays merchants who send their feeds.
package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	target := os.Getenv("TARGET")
	secs, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	for n := 0; time.Now().Before(end); n++ {
		mode := "full"
		if n%4 == 1 {
			mode = "delta"
		}
		m := n % 40
		var b bytes.Buffer
		fmt.Fprintf(&b, "mode=%s resume=%016x%04x\n", mode, rand.Uint64(), n)
		for i := range 900 + rand.IntN(700) {
			fmt.Fprintf(&b, "sku-%05d|Garden chair model %d, foldable, weatherproof, colour %d, with cushion and cover|%d|%d\n", i, i, i%7, 1000+rand.IntN(90000), rand.IntN(50))
		}
		url := fmt.Sprintf("%s/feeds/shop%02d/%d", target, m, n/40)
		if resp, err := http.Post(url, "text/plain", &b); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		for range 3 {
			if resp, err := http.Get(fmt.Sprintf("%s/prices/shop%02d/sku-%05d", target, m, rand.IntN(900))); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
		time.Sleep(110 * time.Millisecond)
	}
	time.Sleep(60 * time.Second)
}
