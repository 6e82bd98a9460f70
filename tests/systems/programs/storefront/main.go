// Command storefront puts one page together from what several services know.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"example.com/market/telemetry"
)

var parts = strings.Split(os.Getenv("BACKENDS"), ",")

func fetch(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func page(w http.ResponseWriter, r *http.Request) {
	found := make([]string, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			found[i], _ = fetch("http://" + part + "/item?id=" + r.URL.Query().Get("id"))
		}()
	}
	wg.Wait()
	fmt.Fprintln(w, strings.Join(found, " "))
}

func main() {
	telemetry.Serve()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", page)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
