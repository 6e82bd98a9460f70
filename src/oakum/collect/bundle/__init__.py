"""Captures kept together: a directory or a .tar.gz with a manifest."""
