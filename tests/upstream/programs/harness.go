package main // Every program calls setup once and serve over and over until LOAD has passed; profiles are served on ADDR.

import (
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"
)

var mode = os.Getenv("MODE") // leak or healthy

func main() {
	setup()
	go func() {
		log.Fatal(http.ListenAndServe(os.Getenv("ADDR"), nil))
	}()
	load, err := time.ParseDuration(os.Getenv("LOAD"))
	must(err)
	end := time.Now().Add(load)
	tick := time.NewTicker(every)
	for n := 0; time.Now().Before(end); n++ {
		<-tick.C
		for i := 0; i < batch; i++ {
			serve(n*batch + i)
		}
	}
	tick.Stop()
	select {}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
