"""Profiles of thousands of services -> a store -> which of them leak, ranked: no thinking of its own.

Every profile is summarised (summary.py); what grows is selected by SQL (selection.py); the pipeline diagnoses those few
(casework.py); ranking.py puts them in order. sources.py and pattern.py: where profiles come from.
"""
