"""Comparisons with the peers: the same inputs, side by side in one run, ratios of wall time and peak memory."""
