// Program orders is built for many systems and by many releases of Go, and not run: what its linker noted is recorded.
package main

import (
	"os"

	pen "example.org/Lantern/pen.v2"
)

func main() {
	pen.NewGate().Enter(len(os.Args))
}
