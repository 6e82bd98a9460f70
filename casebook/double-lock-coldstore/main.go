// Command coldstore packs finished files into segments and moves the segments to cold storage.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	segment := flag.Int("segment", 256<<10, "bytes of a segment")
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.Lmsgprefix)
	log.SetPrefix("coldstore: ")

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()

	archive := NewArchive(*segment)
	go archive.run(ctx)
	hashers := NewHashers(80)
	watch := NewWatch()
	go watch.run(ctx)
	go compact(ctx, 96<<10)

	routes := &routes{archive: archive, hashers: hashers, watch: watch}
	http.Handle("/files/", chain(http.HandlerFunc(routes.file)))
	http.Handle("/segments", chain(http.HandlerFunc(routes.segments)))
	http.Handle("/watch", chain(http.HandlerFunc(routes.follow)))
	http.HandleFunc("/metrics", serveMetrics(archive))

	srv := &http.Server{Addr: *listen, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	log.Printf("listening on %s", *listen)
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
