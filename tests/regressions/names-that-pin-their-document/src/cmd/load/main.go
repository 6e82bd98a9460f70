// Command load plays the registries that send documents.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"time"

	"git.oakandiron.tech/supply/sbomindex/internal/advisory"
)

func main() {
	secs, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	base := "http://127.0.0.1:" + os.Getenv("LISTEN_PORT")
	c := &http.Client{Timeout: 10 * time.Second}
	var bad []string
	for p := range advisory.Builtin() {
		bad = append(bad, p)
	}
	for n := 0; time.Now().Before(end); n++ {
		var comps []map[string]any
		for i := range 350 + rand.IntN(500) {
			comps = append(comps, map[string]any{"type": "library", "name": fmt.Sprintf("lib-%d", i),
				"version": "1." + strconv.Itoa(rand.IntN(40)), "purl": fmt.Sprintf("pkg:deb/lib-%d@1.%d?arch=amd64", i, rand.IntN(40)),
				"licenses": []string{"Apache-2.0"}, "bom-ref": fmt.Sprintf("ref-%x", rand.Uint64())})
		}
		if n%4 == 1 {
			comps[len(comps)/2]["purl"] = bad[rand.IntN(len(bad))] + "?arch=amd64"
		}
		b, _ := json.Marshal(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": comps,
			"metadata": map[string]any{"component": map[string]any{"name": fmt.Sprintf("registry.local/app-%03d", n%300),
				"version": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strconv.Itoa(n))))}}})
		for _, f := range []func() (*http.Response, error){
			func() (*http.Response, error) { return c.Post(base+"/v1/sboms", "application/json", bytes.NewReader(b)) },
			func() (*http.Response, error) { return c.Get(base + "/v1/advisories/OI-2024-0007/images") },
		} {
			if r, err := f(); err == nil {
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}
		time.Sleep(90 * time.Millisecond)
	}
}
