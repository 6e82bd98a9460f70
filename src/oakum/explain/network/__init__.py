"""Waits for the network without a limit; responses, rows and files that are not closed; goroutines without a bound."""
