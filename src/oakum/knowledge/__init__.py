"""What the world knows, as data: one fact a file, with examples that the tests run; and how to look it up.

Imports the model only, and reads nothing but the files of its own package.
"""

from oakum.knowledge.benign import Benign, Catalogue, Count, Match, Pattern, benign

__all__ = ["Benign", "Catalogue", "Count", "Match", "Pattern", "benign"]
