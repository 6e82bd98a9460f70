"""Was this code changed in a later release?"""
