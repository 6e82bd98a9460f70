"""Oakum finds out why a Go service leaks."""

__version__ = "0.1.0"
