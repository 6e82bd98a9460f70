// Command load plays the release catalogue and the vehicles' agents.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"git.vantarail.net/fleet/fleetcfg/internal/distribute"
)

const groups = 40

func secs(k string) time.Duration {
	n, _ := strconv.Atoi(os.Getenv(k))
	return time.Duration(n) * time.Second
}

func main() {
	start := time.Now()
	http.HandleFunc("/catalogue", func(w http.ResponseWriter, _ *http.Request) {
		var list []map[string]any
		n := int64(time.Since(start)/time.Second) + 100
		for g := range groups {
			rev := n - (n+int64(g))%int64(4+g%5)
			if g%8 == 5 { // out of season: their last revision is old
				rev = 17
			}
			list = append(list, map[string]any{"group": fmt.Sprintf("depot-%02d", g), "revision": rev,
				"body": map[string]string{"limit": strconv.Itoa(g), "channel": "stable", "telemetry": "on"}})
		}
		json.NewEncoder(w).Encode(list)
	})
	go http.ListenAndServe("127.0.0.1:"+os.Getenv("BACKEND_PORT"), nil)

	ctx, cancel := context.WithTimeout(context.Background(), secs("LOAD_SECONDS"))
	defer cancel()
	var wg sync.WaitGroup
	for i := range 80 {
		wg.Go(func() {
			time.Sleep(time.Duration(rand.IntN(8000)) * time.Millisecond)
			for ctx.Err() == nil {
				drive(ctx, i%groups)
			}
		})
	}
	wg.Wait()
	time.Sleep(secs("STAY_SECONDS") - time.Since(start))
}

// drive is one connection: a vehicle is in coverage for some seconds.
func drive(ctx context.Context, g int) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(6000+rand.IntN(7000))*time.Millisecond)
	defer cancel()
	cc, err := grpc.NewClient("127.0.0.1:"+os.Getenv("EXTRA_PORT"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	defer cc.Close()
	st, err := cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+distribute.Desc.ServiceName+"/Follow")
	if err != nil {
		time.Sleep(time.Second)
		return
	}
	req, _ := structpb.NewStruct(map[string]any{"group": fmt.Sprintf("depot-%02d", g)})
	if st.SendMsg(req) != nil || st.CloseSend() != nil {
		return
	}
	for {
		if err := st.RecvMsg(new(structpb.Struct)); err != nil {
			return
		}
	}
}
