// A message server with persistence, embedded as its authors' own command does it.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	flags := flag.NewFlagSet("messages", flag.ExitOnError)
	options, err := server.ConfigureOptions(flags, os.Args[1:], server.PrintServerAndExit, flags.Usage, server.PrintTLSHelpAndDie)
	if err != nil {
		log.Fatal(err)
	}
	messages, err := server.NewServer(options)
	if err != nil {
		log.Fatal(err)
	}
	messages.ConfigureLogger()
	if err := server.Run(messages); err != nil {
		log.Fatal(err)
	}
	messages.WaitForShutdown()
}
