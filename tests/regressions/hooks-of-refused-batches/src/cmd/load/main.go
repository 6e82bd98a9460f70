// Command load writes container logs and plays the collector.
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	secs, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	http.HandleFunc("/ingest", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		switch {
		case r.Header.Get("X-Container") == "geoip.log": // writes Latin-1
			http.Error(w, "invalid UTF-8", http.StatusUnprocessableEntity)
		case rand.IntN(25) == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	go http.ListenAndServe("127.0.0.1:"+os.Getenv("BACKEND_PORT"), nil)
	dir := filepath.Join(os.Getenv("DATA_DIR"), "logs")
	time.Sleep(time.Second)
	for _, name := range []string{"checkout", "cart", "search", "stock", "geoip", "mail"} {
		go func() {
			f, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
			if err != nil {
				panic(err)
			}
			for n := 0; ; n++ {
				var b []byte
				for range 60 {
					b = fmt.Appendf(b, "%s level=info svc=%s trace=%016x msg=\"request served\" path=/v2/item/%d status=200 took=%dms city=\"M\xfcnchen\"\n",
						time.Now().Format(time.RFC3339Nano), name, rand.Uint64(), rand.IntN(1e6), rand.IntN(400))
				}
				f.Write(b)
				time.Sleep(time.Duration(60+rand.IntN(60)) * time.Millisecond)
			}
		}()
	}
	time.Sleep(time.Until(end))
}
