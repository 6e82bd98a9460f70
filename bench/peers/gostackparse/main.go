// Parses a goroutine dump with DataDog's gostackparse and prints how many goroutines and frames it holds.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/DataDog/gostackparse"
)

func main() {
	var in io.Reader = os.Stdin
	if len(os.Args) > 1 {
		file, err := os.Open(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer file.Close()
		in = file
	}
	goroutines, errs := gostackparse.Parse(in)
	frames := 0
	for _, goroutine := range goroutines {
		frames += len(goroutine.Stack)
	}
	fmt.Printf("%d goroutines, %d frames, %d errors\n", len(goroutines), frames, len(errs))
}
