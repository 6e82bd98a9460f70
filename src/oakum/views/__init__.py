"""Profile -> what people know from pprof: top, tree, peek, list, traces, diff, flame and call graphs, and goroutines.

Takes a Profile (or Goroutines) and a query, returns values and text. Reads no files and knows no terminal.
"""
