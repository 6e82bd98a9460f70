"""Goroutines that wait at a channel: who could meet them, and why nobody does."""
