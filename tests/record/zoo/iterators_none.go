//go:build !go1.23

package main

// openIterators does nothing: no ranging over functions before Go 1.23.
func openIterators() {}
