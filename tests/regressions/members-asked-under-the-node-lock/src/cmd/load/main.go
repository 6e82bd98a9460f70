// Command load plays six cache nodes and the clients of ringd.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/memberlist"

	"git.solvane.io/edge/ringd/internal/cluster"
)

type node struct{ weight atomic.Int32 }

func (n *node) NodeMeta(int) []byte {
	b, _ := json.Marshal(cluster.Meta{Zone: "fsn1-b", Weight: int(n.weight.Load())})
	return b
}
func (*node) NotifyMsg([]byte)                {}
func (*node) GetBroadcasts(int, int) [][]byte { return nil }
func (*node) LocalState(bool) []byte          { return nil }
func (*node) MergeRemoteState([]byte, bool)   {}

func free() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func secs(k string) time.Duration {
	n, _ := strconv.Atoi(os.Getenv(k))
	return time.Duration(n) * time.Second
}

func main() {
	start := time.Now()
	end := start.Add(secs("LOAD_SECONDS"))
	for i := range 6 {
		n := &node{}
		n.weight.Store(int32(40 + i))
		mc := memberlist.DefaultLocalConfig()
		mc.Name, mc.BindAddr, mc.BindPort, mc.Delegate, mc.LogOutput = fmt.Sprintf("cache-%d", i), "127.0.0.1", free(), n, io.Discard
		mc.AdvertisePort = mc.BindPort
		l, err := memberlist.Create(mc)
		if err != nil {
			panic(err)
		}
		if _, err := l.Join([]string{"127.0.0.1:" + os.Getenv("EXTRA_PORT")}); err != nil {
			panic(err)
		}
		go func() {
			for k := 0; ; k++ { // re-weighing now and then; number 4 is drained after a while
				time.Sleep(time.Duration(6+i) * time.Second)
				n.weight.Add(1)
				if i == 4 && time.Since(start) > 36*time.Second {
					n.weight.Store(0)
				}
				l.UpdateNode(time.Second)
			}
		}()
	}
	c := &http.Client{Timeout: 3 * time.Second}
	var wg sync.WaitGroup
	for n := 0; time.Now().Before(end); n++ {
		path := fmt.Sprintf("/v1/owner?key=k%d", rand.IntN(1e6))
		if n%9 == 0 {
			path = "/v1/members"
		}
		wg.Go(func() {
			if r, err := c.Get("http://127.0.0.1:" + os.Getenv("LISTEN_PORT") + path); err == nil {
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		})
		time.Sleep(time.Duration(40+rand.IntN(80)) * time.Millisecond)
	}
	wg.Wait()
	time.Sleep(secs("STAY_SECONDS") - time.Since(start))
}
