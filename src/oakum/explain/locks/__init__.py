"""Goroutines that wait for a lock: who holds it, and why it is not given back."""
