"""Looks at services for weeks, at almost no cost: schedule, budget, runs, incidents. Verdicts come from the pipeline.

watcher.py ties it together; what is pure (budget, runs, trends, incidents) has no clock, file or socket of its own.
"""
