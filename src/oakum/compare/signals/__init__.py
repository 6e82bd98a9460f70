"""Metrics, logs and events on one time axis: when growth began, its shape, what moved with it, and what happened when.

Loaded only where a case has a range of metrics, a log or a list of events. Measures only.
"""
