// Command traffic plays shops and risk analysts on loopback.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var target = os.Getenv("TARGET")

func send(method, path string, v any) {
	b, _ := json.Marshal(v)
	req, _ := http.NewRequest(method, target+path, bytes.NewReader(b))
	req.Header.Set("Content-Type", "application/json")
	if resp, err := http.DefaultClient.Do(req); err == nil {
		if resp.StatusCode >= 300 {
			fmt.Println(method, path, resp.Status)
		}
		resp.Body.Close()
	}
}

func ruleBook() any {
	type rule struct {
		Name   string `json:"name"`
		When   string `json:"when"`
		Points int    `json:"points"`
	}
	var out []rule
	for i := range 36 {
		var bins []string
		for range 60 {
			bins = append(bins, fmt.Sprintf("%q", fmt.Sprint(400000+rand.IntN(99999))))
		}
		out = append(out, rule{fmt.Sprintf("r%02d", i),
			fmt.Sprintf(`Amount > %d && (Card[0:6] in [%s] || Listed("device-%d", Device)) && Hour in [0,1,2,3,%d]`,
				100+i*20, strings.Join(bins, ","), i%5, i%24), 5 + i%9*4})
	}
	return out
}

func main() {
	secs, _ := strconv.Atoi(os.Getenv("LOAD_SECONDS"))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	send("PUT", "/rules", ruleBook())
	for n := 1; time.Now().Before(end); n++ {
		send("POST", "/score", map[string]any{"amount": rand.Float64() * 900, "currency": "EUR", "country": "DE",
			"card": fmt.Sprint(4000000000000000 + rand.Int64N(99999999999999)), "device": fmt.Sprintf("d%d", rand.IntN(5000)), "hour": rand.IntN(24)})
		if n%45 == 0 {
			send("PUT", "/rules", ruleBook())
		}
		if n%100 == 0 {
			send("POST", fmt.Sprintf("/lists/device-%d/d%d", rand.IntN(5), rand.IntN(5000)), nil)
		}
		time.Sleep(25 * time.Millisecond)
	}
	time.Sleep(60 * time.Second)
}
