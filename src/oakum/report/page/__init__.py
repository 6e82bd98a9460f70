"""A diagnosis -> a page: sections made of blocks, in one language; HTML and Markdown are two ways to write it down.

`blocks.py` has the nouns, `compose.py` the report, `incident/` the write-up of an incident.
"""
