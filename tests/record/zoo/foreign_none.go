//go:build !cgo

package main

// openForeign does nothing: there is no C in this build.
func openForeign() {}
