"""Goroutines that wait for a WaitGroup, a Cond, a context, a nil channel or a timer."""
