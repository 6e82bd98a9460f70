//go:build go1.18
// +build go1.18

package main

type box[T any] struct{ content chan T }

//go:noinline
func (b *box[T]) take() T { return <-b.content }

func init() {
	filled := &box[int]{make(chan int, 1)}
	filled.content <- 1
	filled.take()
}
