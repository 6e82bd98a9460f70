"""Targets -> captures. For now: files, directories and standard input; and the source files that frames name."""

from oakum.collect.files import gather

__all__ = ["gather"]
