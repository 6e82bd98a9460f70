// Package deep calls itself.
package deep

// Walk allocates on the way down and on the way up.
func Walk(n int) []byte {
	below := []byte(nil)
	if n > 0 {
		below = Walk(n - 1)
	}
	return append(make([]byte, 0, len(below)+64), below...)
}

// Even and Odd call each other.
func Even(n int) []byte {
	if n <= 0 {
		return make([]byte, 512)
	}
	return Odd(n - 1)
}

// Odd calls Even.
func Odd(n int) []byte {
	held := make([]byte, 256)
	copy(held, Even(n-1))
	return held
}

// Descend parks n calls deep.
func Descend(n int, ready chan<- bool, gate <-chan int) int {
	if n > 0 {
		return Descend(n-1, ready, gate) + 1
	}
	ready <- true
	return <-gate
}
