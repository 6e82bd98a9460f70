"""Builds, runs, records and scores the cases of the casebook: `python -m casebook.runner --help`."""
