// Package pen is the zoo's dependency: a module of its own, with a capital letter and a dot in its path, as the module
// cache and the linker escape them.
package pen

// Gate lets animals through one by one.
type Gate struct {
	queue chan int
}

// NewGate returns a gate at which nobody stands.
func NewGate() *Gate {
	return &Gate{queue: make(chan int)}
}

// Enter waits until somebody calls Leave.
func (g *Gate) Enter(animal int) {
	g.admit(animal, func() { g.queue <- animal })
}

func (g *Gate) admit(animal int, pass func()) {
	if animal >= 0 {
		pass()
	}
}

// Leave lets one animal in.
func (g *Gate) Leave() int {
	return <-g.queue
}
