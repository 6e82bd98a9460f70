"""Stores of the past -> what they kept of a target: Prometheus its metrics, Pyroscope and Parca its profiles."""
