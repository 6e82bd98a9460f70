package main

import (
	"net"
	"os"

	"go.uber.org/zap"

	"example.com/cardguard/riskscore/internal/lists"
	"example.com/cardguard/riskscore/internal/rules"
	"example.com/cardguard/riskscore/internal/server"
)

func main() {
	log := zap.Must(zap.NewProduction())
	defer log.Sync()
	ln, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal("listen", zap.Error(err))
	}
	book := lists.NewBook()
	e := server.New(rules.NewEngine(book), book)
	e.Listener = ln
	log.Info("scoring", zap.Stringer("addr", ln.Addr()))
	if err := e.Start(""); err != nil {
		log.Fatal("serve", zap.Error(err))
	}
}
